//! Figures of a number of rounds, and what is said of them.

/// One figure per round, in the order of the rounds.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(figures: I) -> Self {
        Self(figures.into_iter().collect())
    }
}

impl Samples {
    /// Adds the figure of the next round.
    pub fn push(&mut self, figure: f64) {
        self.0.push(figure);
    }

    /// Round by round, how many times `other` this is: what slows a whole round falls out.
    pub fn per_round_over(&self, other: &Samples) -> Samples {
        assert_eq!(self.0.len(), other.0.len(), "rounds of the same trial");
        Samples(self.0.iter().zip(&other.0).map(|(a, b)| a / b).collect())
    }

    /// Round by round, the least of several; empty if there are none.
    pub fn least<'a>(all: impl IntoIterator<Item = &'a Samples>) -> Samples {
        Self::merged(all, f64::min).unwrap_or_default()
    }

    /// Round by round, the sum of several; `None` if there are none.
    pub fn sum<'a>(all: impl IntoIterator<Item = &'a Samples>) -> Option<Samples> {
        Self::merged(all, |a, b| a + b)
    }

    /// The smallest.
    pub fn best(&self) -> f64 {
        self.quantile(0.0)
    }

    /// Half of them are no larger.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The sum by the number; of nothing it is NaN.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The middle half lies between these.
    pub fn quartiles(&self) -> [f64; 2] {
        [0.25, 0.75].map(|part| self.quantile(part))
    }

    fn merged<'a>(
        all: impl IntoIterator<Item = &'a Samples>,
        merge: fn(f64, f64) -> f64,
    ) -> Option<Samples> {
        let all = all.into_iter().cloned();
        all.reduce(|mut merged, other| {
            assert_eq!(merged.0.len(), other.0.len(), "rounds of the same trial");
            let rounds = merged.0.iter_mut().zip(other.0);
            rounds.for_each(|(a, b)| *a = merge(*a, b));
            merged
        })
    }

    /// Between neighbours in rank the line is straight; of nothing it is NaN.
    fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let Some(last) = sorted.len().checked_sub(1) else {
            return f64::NAN;
        };
        let rank = part * last as f64;
        let (below, above) = (rank.floor(), rank.ceil());
        let share = rank - below;
        sorted[below as usize] * (1.0 - share) + sorted[above as usize] * share
    }
}

#[cfg(test)]
mod tests {
    use super::Samples;

    fn of(figures: &[f64]) -> Samples {
        Samples(figures.to_vec())
    }

    #[test]
    fn order_does_not_matter() {
        let samples = of(&[5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!((samples.best(), samples.median()), (1.0, 3.0));
        assert_eq!(samples.quartiles(), [2.0, 4.0]);
        assert_eq!(of(&[1.0, 2.0]).median(), 1.5);
        assert_eq!(of(&[7.0]).quartiles(), [7.0, 7.0]);
        assert_eq!((samples.mean(), samples.is_empty()), (3.0, false));
        let none = Samples::default();
        assert!(none.median().is_nan() && none.mean().is_nan() && none.is_empty());
    }

    #[test]
    fn rounds_are_merged_one_by_one() {
        let [a, b] = [of(&[1.0, 4.0]), of(&[3.0, 2.0])];
        assert_eq!(Samples::least([&a, &b]).quartiles(), [1.25, 1.75]);
        let sum = Samples::sum([&a, &b]).unwrap();
        assert_eq!((sum.best(), sum.median()), (4.0, 5.0));
        assert!(Samples::sum([]).is_none());
    }

    #[test]
    fn a_slow_round_is_slow_for_both() {
        let ratio = of(&[10.0, 10.0, 90.0]).per_round_over(&of(&[1.0, 1.0, 9.0]));
        assert_eq!(ratio.quartiles(), [10.0, 10.0]);
    }
}
