//! The modules of a crate as its sources spell them, without the parts that only tests see.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::{Attribute, Item, Meta, Token, UseTree, Visibility};

use crate::failure::Failure;

/// The module that `src/lib.rs` is.
pub(super) const ROOT: usize = 0;

/// Gives the text of a source file, if there is one.
pub(super) type Read<'a> = &'a dyn Fn(&Path) -> Option<String>;

pub(super) struct Tree {
    /// The crate's name as paths spell it.
    pub(super) name: String,
    pub(super) modules: Vec<Module>,
}

pub(super) struct Module {
    pub(super) parent: usize,
    /// Declared as `pub`.
    pub(super) public: bool,
    /// The module's full path, whether it is public or not.
    pub(super) path: String,
    /// Without the items of tests.
    pub(super) items: Vec<Item>,
    pub(super) children: BTreeMap<String, usize>,
    pub(super) imports: Vec<Import>,
    /// Macros that the module calls to write items. What they write is unknown.
    pub(super) makers: Vec<String>,
}

/// One leaf of a `use`.
pub(super) struct Import {
    pub(super) path: Vec<String>,
    /// Starts with `::`, so it leads out of the crate.
    pub(super) absolute: bool,
    /// The name in the importing module; `None` for a glob.
    pub(super) name: Option<String>,
    pub(super) public: bool,
}

impl Tree {
    /// Reads the crate whose root is `lib`.
    pub(super) fn read(name: &str, lib: &Path, read: Read<'_>) -> Result<Self, Failure> {
        let mut tree = Self {
            name: name.replace('-', "_"),
            modules: Vec::new(),
        };
        let text = read(lib).ok_or_else(|| Failure::new(format!("{} is missing", lib.display())))?;
        let root = Module::new(tree.name.clone(), ROOT, true, parse(lib, &text)?);
        tree.add(root, lib.parent().unwrap_or(Path::new("")), read)?;
        Ok(tree)
    }

    /// Adds a module and the modules in it, whose files are in `directory`.
    fn add(&mut self, mut module: Module, directory: &Path, read: Read<'_>) -> Result<usize, Failure> {
        let (here, path) = (self.modules.len(), module.path.clone());
        let mut inner = Vec::new();
        for item in &mut module.items {
            if let Item::Mod(item) = item {
                let name = plain(&item.ident);
                if item
                    .attrs
                    .iter()
                    .any(|attribute| attribute.path().is_ident("path"))
                {
                    return Err(Failure::new(format!("{path}::{name}: `#[path]` is not followed")));
                }
                let items = item.content.take().map(|(_, items)| items);
                inner.push((name, is_public(&item.vis), items));
            } else if matches!(
                item,
                Item::Verbatim(_) | Item::ForeignMod(_) | Item::TraitAlias(_) | Item::Union(_)
            ) {
                return Err(Failure::new(format!(
                    "{path}: holds an item that is not understood"
                )));
            }
        }
        self.modules.push(module);
        for (name, public, items) in inner {
            let directory = directory.join(&name);
            let items = items.map_or_else(|| read_module(&directory, read), Ok)?;
            let child = Module::new(format!("{path}::{name}"), here, public, items);
            let child = self.add(child, &directory, read)?;
            let children = self.modules.get_mut(here).map(|module| &mut module.children);
            if children.is_some_and(|children| children.insert(name.clone(), child).is_some()) {
                return Err(Failure::new(format!("{path}::{name}: is declared twice")));
            }
        }
        Ok(here)
    }

    pub(super) fn item(&self, module: usize, place: usize) -> Option<&Item> {
        self.modules.get(module)?.items.get(place)
    }
}

impl Module {
    fn new(path: String, parent: usize, public: bool, mut items: Vec<Item>) -> Self {
        items.retain(|item| !in_tests(attributes(item)));
        let mut imports = Vec::new();
        let mut makers = Vec::new();
        for item in &items {
            if let Item::Use(item) = item {
                let (public, absolute) = (is_public(&item.vis), item.leading_colon.is_some());
                flatten(&item.tree, &mut Vec::new(), &mut |path, name| {
                    imports.push(Import {
                        path,
                        absolute,
                        name,
                        public,
                    });
                });
            } else if let Item::ExternCrate(item) = item {
                let name = item.rename.as_ref().map_or(&item.ident, |(_, name)| name);
                imports.push(Import {
                    path: vec![plain(&item.ident)],
                    absolute: true,
                    name: Some(plain(name)),
                    public: is_public(&item.vis),
                });
            } else if let Item::Macro(item) = item
                && item.ident.is_none()
            {
                makers.extend(item.mac.path.segments.last().map(|segment| plain(&segment.ident)));
            }
        }
        Self {
            parent,
            public,
            path,
            items,
            children: BTreeMap::new(),
            imports,
            makers,
        }
    }
}

fn read_module(directory: &Path, read: Read<'_>) -> Result<Vec<Item>, Failure> {
    let files: [PathBuf; 2] = [directory.with_extension("rs"), directory.join("mod.rs")];
    for file in &files {
        if let Some(text) = read(file) {
            return parse(file, &text);
        }
    }
    Err(Failure::new(format!(
        "there is no file for the module {}",
        directory.display()
    )))
}

fn parse(file: &Path, text: &str) -> Result<Vec<Item>, Failure> {
    let parsed =
        syn::parse_file(text).map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
    Ok(if in_tests(&parsed.attrs) {
        Vec::new()
    } else {
        parsed.items
    })
}

fn flatten(tree: &UseTree, path: &mut Vec<String>, leaf: &mut dyn FnMut(Vec<String>, Option<String>)) {
    let mut end = |ident: &Ident, name: &Ident| {
        let ident = plain(ident);
        let inside = ident == "self" && !path.is_empty();
        let whole: Vec<String> = path.iter().cloned().chain((!inside).then_some(ident)).collect();
        let name = if name == "self" {
            whole.last().cloned()
        } else {
            Some(plain(name))
        };
        leaf(whole, name);
    };
    match tree {
        UseTree::Name(tree) => end(&tree.ident, &tree.ident),
        UseTree::Rename(tree) => end(&tree.ident, &tree.rename),
        UseTree::Glob(_) => leaf(path.clone(), None),
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, path, leaf);
            }
        }
        UseTree::Path(tree) => {
            path.push(plain(&tree.ident));
            flatten(&tree.tree, path, leaf);
            path.pop();
        }
    }
}

/// The visibility and the name of an item that declares a name, modules and macros apart.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the other kinds of item declare no such name, and syn may add more"
)]
pub(super) fn declared(item: &Item) -> Option<(&Visibility, &Ident)> {
    match item {
        Item::Const(item) => Some((&item.vis, &item.ident)),
        Item::Enum(item) => Some((&item.vis, &item.ident)),
        Item::Fn(item) => Some((&item.vis, &item.sig.ident)),
        Item::Static(item) => Some((&item.vis, &item.ident)),
        Item::Struct(item) => Some((&item.vis, &item.ident)),
        Item::Trait(item) => Some((&item.vis, &item.ident)),
        Item::Type(item) => Some((&item.vis, &item.ident)),
        _ => None,
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the other kinds of item are refused, and syn may add more"
)]
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

pub(super) fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Whether something exists only where tests are built.
pub(super) fn in_tests(attributes: &[Attribute]) -> bool {
    let mut conditions = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"));
    conditions.any(|attribute| {
        attribute
            .parse_args::<Meta>()
            .is_ok_and(|meta| requires_test(&meta))
    })
}

fn requires_test(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("all") => list
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            .is_ok_and(|all| all.iter().any(requires_test)),
        Meta::List(_) | Meta::NameValue(_) => false,
    }
}

/// A name without the `r#` of a raw one.
pub(super) fn plain(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), String::from)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The crate `c` in files that are given here.
    pub(in crate::surface) fn tree_of(files: &[(&str, &str)]) -> Result<Tree, Failure> {
        let read = |file: &Path| {
            let known = files.iter().find(|(name, _)| Path::new(name) == file);
            known.map(|(_, text)| String::from(*text))
        };
        Tree::read("c", Path::new("src/lib.rs"), &read)
    }

    #[test]
    fn modules_are_followed_into_their_files() {
        let tree = tree_of(&[
            ("src/lib.rs", "mod a; mod r#type { mod b; }"),
            ("src/a/mod.rs", "mod deep;"),
            ("src/a/deep.rs", "fn f() {}"),
            ("src/type/b.rs", ""),
        ])
        .unwrap();
        let paths: Vec<&str> = tree.modules.iter().map(|module| module.path.as_str()).collect();
        assert_eq!(paths, ["c", "c::a", "c::a::deep", "c::type", "c::type::b"]);
    }

    #[test]
    fn what_only_tests_see_is_left_out() {
        let tree = tree_of(&[
            (
                "src/lib.rs",
                "#[cfg(test)] mod missing; #[cfg(all(unix, test))] fn a() {} #[cfg(any(unix, test))] fn b() {}
                 #[cfg(not(test))] fn d() {} #[cfg(test)] use nowhere::X; mod inner;",
            ),
            ("src/inner.rs", "#![cfg(test)] fn e() {}"),
        ])
        .unwrap();
        let names = tree.modules[ROOT]
            .items
            .iter()
            .filter_map(declared)
            .map(|(_, name)| name.to_string());
        assert_eq!(names.collect::<Vec<_>>(), ["b", "d"]);
        assert_eq!(
            (tree.modules[ROOT].imports.len(), tree.modules[1].items.len()),
            (0, 0)
        );
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for source in [
            "mod nowhere;",
            "#[path = \"x.rs\"] mod a;",
            "unsafe extern \"C\" { fn f(); }",
            "pub fn {",
            "mod a {} mod a {}",
        ] {
            assert!(tree_of(&[("src/lib.rs", source)]).is_err(), "{source}");
        }
    }
}
