//! The plugin that is added to an app.

use std::sync::Arc;

use bevy_app::{App, Plugin, PostUpdate};
use bevy_ecs::component::Component;
use bevy_ecs::intern::Interned;
use bevy_ecs::schedule::{IntoScheduleConfigs, ScheduleLabel, SystemSet};
use throng::{Broadphase, BroadphaseConfig, ConfigError};

use crate::center::Center;
use crate::executor::BevyTasks;
use crate::follow::{Reading, follow_changes, follow_enabled, follow_losses};
use crate::messages::{OverlapBegan, OverlapEnded};
use crate::overlaps::{Overlaps, find_overlaps, find_overlaps_and_send};
use crate::refused::Refused;
use crate::space::Space;

/// Keeps a broadphase of all entities that have [`Bounds`](crate::Bounds) and a position, the component `P`.
///
/// Runs in [`PostUpdate`] unless [set otherwise](Self::in_schedule). Add only one to an app.
pub struct BroadphasePlugin<P: Component = Center> {
    /// Already validated.
    config: BroadphaseConfig,
    reading: fn(&P) -> [f32; 2],
    schedule: Interned<dyn ScheduleLabel>,
    finds_overlaps: bool,
    sends_messages: bool,
}

/// The order of a frame. Systems that move things go before, those that read [`Overlaps`] after.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BroadphaseSystems {
    /// Proxies are brought up to date with their entities.
    Follow,
    /// Pairs are found.
    Find,
}

impl BroadphasePlugin {
    /// A broadphase of entities that have a [`Center`].
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with every problem of the config.
    pub fn new(config: BroadphaseConfig) -> Result<Self, ConfigError> {
        Self::reading(config, |center: &Center| center.0)
    }
}

impl<P: Component> BroadphasePlugin<P> {
    /// A broadphase of entities that have your own position component, which is read by a function.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_throng::BroadphasePlugin;
    /// use throng::{BroadphaseConfig, CategoryConfig};
    ///
    /// #[derive(Component)]
    /// struct Place { x: f64, y: f64 }
    ///
    /// let config = BroadphaseConfig::new().category(CategoryConfig::uniform("orcs", 1.0));
    /// let plugin = BroadphasePlugin::reading(config, |place: &Place| [place.x as f32, place.y as f32])?;
    /// # let _ = plugin;
    /// # Ok::<(), throng::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with every problem of the config.
    pub fn reading(
        config: BroadphaseConfig,
        place: fn(&P) -> [f32; 2],
    ) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config,
            reading: place,
            schedule: PostUpdate.intern(),
            finds_overlaps: true,
            sends_messages: false,
        })
    }

    /// Runs in a different schedule, such as `FixedPostUpdate`.
    pub fn in_schedule(mut self, schedule: impl ScheduleLabel) -> Self {
        self.schedule = schedule.intern();
        self
    }

    /// Sends an [`OverlapBegan`] for each pair that begins and an [`OverlapEnded`] for each that ends, in
    /// [`BroadphaseSystems::Find`]: for those categories that ask for [`events`](throng::CategoryConfig::events) in the config.
    ///
    /// A game that [steps](Space::step) by itself has them from the step: [`Step::began`](throng::Step::began) and
    /// [`Step::ended`](throng::Step::ended). An entity that is put into another category by its [`Bounds`](crate::Bounds) ends
    /// its pairs and begins them again: whoever keeps a list of pairs reads ends before begins.
    pub fn with_messages(mut self) -> Self {
        self.sends_messages = true;
        self
    }

    /// Follows entities, but leaves it to the game to [`step`](Space::step). There are no [`Overlaps`] then.
    pub fn without_overlaps(mut self) -> Self {
        self.finds_overlaps = false;
        self
    }
}

impl<P: Component> Plugin for BroadphasePlugin<P> {
    fn build(&self, app: &mut App) {
        let mut broadphase =
            Broadphase::new(self.config.clone()).expect("the config was validated");
        broadphase.set_executor(Some(Arc::new(BevyTasks)));
        app.insert_resource(Space { broadphase })
            .insert_resource(Reading(self.reading))
            .add_message::<Refused>()
            .configure_sets(
                self.schedule,
                (BroadphaseSystems::Follow, BroadphaseSystems::Find).chain(),
            )
            .add_systems(
                self.schedule,
                (follow_losses::<P>, follow_enabled, follow_changes::<P>)
                    .chain()
                    .in_set(BroadphaseSystems::Follow),
            );
        if self.sends_messages {
            app.add_message::<OverlapBegan>()
                .add_message::<OverlapEnded>();
        }
        let find = BroadphaseSystems::Find;
        match (self.finds_overlaps, self.sends_messages) {
            (false, _) => {}
            (true, false) => {
                app.init_resource::<Overlaps>()
                    .add_systems(self.schedule, find_overlaps.in_set(find));
            }
            (true, true) => {
                app.init_resource::<Overlaps>()
                    .add_systems(self.schedule, find_overlaps_and_send.in_set(find));
            }
        }
    }
}
