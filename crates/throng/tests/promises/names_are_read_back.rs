//! What names a proxy or a row is read from a file as it was written.
#![cfg(feature = "serde")]

use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, MaskMode, Masks, Proxy, ProxyId, RowRef,
    SceneryId,
};

#[test]
fn ids_and_rows_are_read_back() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("sheep", 1.0).coarse())
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let sheep = || Proxy::centered([1.0, 2.0], [1.0, 1.0]).unwrap();
    let first = world.insert(sheep()).unwrap();
    world.remove(first).unwrap();
    let second = world.insert(sheep()).unwrap();
    assert_ne!(first, second, "another generation");

    for id in [first, second] {
        let file = toml::to_string(&id).unwrap();
        assert_eq!(toml::from_str::<ProxyId>(&file).unwrap(), id, "{file}");
    }
    let walls = world.category("walls").unwrap();
    let scenery = world.pack_scenery(walls).unwrap();
    let loaded = world.add_scenery(walls, &scenery).unwrap();
    assert_eq!(loaded.world_tag(), world.world_tag());
    let file = toml::to_string(&loaded).unwrap();
    assert_eq!(
        toml::from_str::<SceneryId>(&file).unwrap(),
        loaded,
        "{file}"
    );
    assert_eq!(world.unload_scenery(loaded), Ok(0), "it has no boxes");

    let place = world.locate(second).unwrap();
    let file = toml::to_string(&place).unwrap();
    assert_eq!(file, "category = 0\nrow = 0\n");
    assert_eq!(toml::from_str::<RowRef>(&file).unwrap(), place);
}

#[test]
fn masks_are_read_back_and_need_no_mode() {
    let either = Masks::new(1 << 63, !0).with_mode(MaskMode::Or);
    let file = serde_json::to_string(&either).unwrap();
    assert!(file.ends_with(r#""mode":"or"}"#), "{file}");
    assert_eq!(serde_json::from_str::<Masks>(&file).unwrap(), either);
    let read: Masks = toml::from_str("memberships = 0x1_0000_0000\nfilter = 3").unwrap();
    assert_eq!(read, Masks::new(1 << 32, 3));
}
