//! The lines that the surface is made of: what is reached, with its signature, and the `impl` blocks that belong to it.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Attribute, ImplItem, Item, ItemImpl, ItemTrait, Token, TraitItem};

use super::reach::Paths;
use super::render::{bounds, function, open_ended, public_fields, shape, tokens, trait_head, variant};
use super::resolve::Def;
use super::tree::{ROOT, Tree, in_tests, is_public, plain};
use crate::failure::Failure;

/// The public items of a crate.
#[derive(Default)]
pub(super) struct Surface {
    /// One line each: the public path, and the signature.
    pub(super) lines: BTreeSet<String>,
    /// The paths of those whose signature names a cancellation type.
    pub(super) cancellation: BTreeSet<String>,
}

impl Surface {
    /// Finds the public items of the crate that `tree` holds.
    pub(super) fn of(tree: &Tree) -> Result<Self, Failure> {
        let paths = Paths::find(tree)?;
        let mut writer = Writer {
            tree,
            paths: &paths,
            surface: Self::default(),
        };
        writer.describe();
        for (module, inside) in tree.modules.iter().enumerate() {
            for item in &inside.items {
                if let Item::Impl(item) = item {
                    writer.implementation(module, item);
                }
            }
        }
        Ok(writer.surface)
    }
}

struct Writer<'a> {
    tree: &'a Tree,
    paths: &'a Paths,
    surface: Surface,
}

impl Writer<'_> {
    fn describe(&mut self) {
        let (tree, paths) = (self.tree, self.paths);
        for (path, maker) in &paths.makers {
            self.line(path, &format!("{maker}! writes items that are not listed"), "");
        }
        for (def, every) in &paths.of {
            let home = paths.home(def).unwrap_or_default();
            for path in every {
                match def {
                    Def::Foreign(from) => self.line(path, &format!("pub use {from}"), ""),
                    Def::Module(_) | Def::Item(..) if path != home => {
                        self.line(path, &format!("pub use {home}"), "");
                    }
                    Def::Module(module) if *module == ROOT => {}
                    Def::Module(_) => self.line(path, "pub mod", ""),
                    Def::Item(module, place) => {
                        if let Some(item) = tree.item(*module, *place) {
                            self.item(path, item);
                        }
                    }
                    Def::Variant(module, place, name) => {
                        let owner = paths
                            .home(&Def::Item(*module, *place))
                            .unwrap_or("a private enum");
                        self.line(path, &format!("pub use {owner}::{name}"), "");
                    }
                    Def::Made(module, name) => {
                        if let Some(inside) = tree.modules.get(*module) {
                            let note = format!("(written by {}!, not expanded)", inside.makers.join("! or "));
                            self.line(path, &format!("pub use {}::{name} {note}", inside.path), "");
                        }
                    }
                }
            }
        }
    }

    fn item(&mut self, path: &str, item: &Item) {
        if let Item::Fn(item) = item {
            let signature = function(&item.sig);
            self.line(path, &format!("pub {signature}"), &signature);
        } else if let Item::Struct(item) = item {
            let head = format!(
                "struct {}{}{}",
                item.ident,
                tokens(&item.generics),
                shape(&item.fields)
            );
            self.data(path, &item.attrs, &format!("{head}{}", bounds(&item.generics)));
            for (name, field) in public_fields(&item.fields) {
                let ty = tokens(&field.ty);
                self.line(&format!("{path}::{name}"), &format!("pub {name}: {ty}"), &ty);
            }
        } else if let Item::Enum(item) = item {
            let head = format!(
                "enum {}{}{}",
                item.ident,
                tokens(&item.generics),
                bounds(&item.generics)
            );
            self.data(path, &item.attrs, &head);
            for one in item.variants.iter().filter(|one| !in_tests(&one.attrs)) {
                let types: Vec<String> = one.fields.iter().map(|field| tokens(&field.ty)).collect();
                self.line(&format!("{path}::{}", one.ident), &variant(one), &types.join(" "));
            }
        } else if let Item::Trait(item) = item {
            self.trait_items(path, item);
        } else if let Item::Const(item) = item {
            let ty = tokens(&item.ty);
            self.line(path, &format!("pub const {}: {ty}", item.ident), &ty);
        } else if let Item::Static(item) = item {
            let ty = tokens(&item.ty);
            self.line(path, &format!("pub static {}: {ty}", item.ident), &ty);
        } else if let Item::Type(item) = item {
            let (generics, ty) = (tokens(&item.generics), tokens(&item.ty));
            self.line(path, &format!("pub type {}{generics} = {ty}", item.ident), &ty);
        } else if let Item::Macro(_) = item {
            self.line(path, "macro_rules!", "");
        }
    }

    /// A struct or an enum, and the traits that are derived for it.
    fn data(&mut self, path: &str, attributes: &[Attribute], head: &str) {
        self.line(path, &format!("{}pub {head}", open_ended(attributes)), "");
        let mut derived = BTreeSet::new();
        for attribute in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("derive"))
        {
            let names = attribute.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated);
            derived.extend(names.iter().flatten().map(tokens));
        }
        if !derived.is_empty() {
            let names: Vec<String> = derived.into_iter().collect();
            self.line(path, &format!("derive {}", names.join(", ")), "");
        }
    }

    fn trait_items(&mut self, path: &str, item: &ItemTrait) {
        let head = trait_head(item);
        let mut whole = head.clone();
        for one in &item.items {
            let (name, text) = if let TraitItem::Fn(one) = one {
                let end = if one.default.is_some() { " { .. }" } else { "" };
                (&one.sig.ident, function(&one.sig) + end)
            } else if let TraitItem::Const(one) = one {
                let end = if one.default.is_some() { " = .." } else { "" };
                (
                    &one.ident,
                    format!("const {}: {}{end}", one.ident, tokens(&one.ty)),
                )
            } else if let TraitItem::Type(one) = one {
                let colon = if one.bounds.is_empty() { "" } else { ": " };
                let generics = tokens(&one.generics);
                let bounds = tokens(&one.bounds) + &bounds(&one.generics);
                (&one.ident, format!("type {}{generics}{colon}{bounds}", one.ident))
            } else {
                self.line(path, "a macro writes items of the trait", "");
                continue;
            };
            whole.extend([" ", &text]);
            self.line(
                &format!("{path}::{name}"),
                &text,
                &format!("{} {text}", item.ident),
            );
        }
        self.line(path, &head, &whole);
    }

    /// An `impl` counts when everything of this crate that its head names can be named from outside.
    fn implementation(&mut self, module: usize, item: &ItemImpl) {
        let parameters: Vec<String> = item
            .generics
            .type_params()
            .map(|one| one.ident.to_string())
            .collect();
        let trait_path = item.trait_.as_ref().map(|(path, _)| path);
        let mut named = self.named(module, item.self_ty.to_token_stream(), &parameters);
        named.extend(self.named(module, trait_path.to_token_stream(), &parameters));
        let homes: Option<Vec<&str>> = named.iter().map(|def| self.paths.home(def)).collect();
        let Some(homes) = homes else { return };
        let Some(home) = homes.first() else { return };
        let generics = tokens(&item.generics);
        let target = tokens(&item.self_ty) + &bounds(&item.generics);
        if let Some(path) = trait_path {
            let not = if item.modifiers.polarity.is_some() {
                "!"
            } else {
                ""
            };
            let mut text = format!("impl{generics} {not}{} for {target}", tokens(path));
            for one in &item.items {
                if let ImplItem::Type(one) = one {
                    let name = format!("{}{}", one.ident, tokens(&one.generics));
                    text.push_str(&format!(" {{ type {name} = {} }}", tokens(&one.ty)));
                }
            }
            self.line(home, &text, "");
        } else {
            self.methods(home, &format!("impl{generics} {target}"), item);
        }
    }

    fn methods(&mut self, home: &str, head: &str, item: &ItemImpl) {
        // `impl Name` says nothing that the path does not.
        let plain_head = home
            .rsplit("::")
            .next()
            .is_some_and(|name| head == format!("impl {name}"));
        for one in &item.items {
            let (attributes, visibility, name, text) = if let ImplItem::Fn(one) = one {
                (&one.attrs, &one.vis, &one.sig.ident, function(&one.sig))
            } else if let ImplItem::Const(one) = one {
                (
                    &one.attrs,
                    &one.vis,
                    &one.ident,
                    format!("const {}: {}", one.ident, tokens(&one.ty)),
                )
            } else {
                if matches!(one, ImplItem::Macro(_)) {
                    self.line(home, "a macro writes methods that are not listed", "");
                }
                continue;
            };
            if is_public(visibility) && !in_tests(attributes) {
                let line = if plain_head {
                    format!("pub {text}")
                } else {
                    format!("{head} {{ pub {text} }}")
                };
                self.line(&format!("{home}::{name}"), &line, &format!("{head} {text}"));
            }
        }
    }

    /// The definitions of this crate that `stream` names. An alias counts as what it stands for.
    fn named(&self, module: usize, stream: TokenStream, parameters: &[String]) -> Vec<Def> {
        let mut named = Vec::new();
        for path in paths(stream) {
            if path.first().is_some_and(|first| parameters.contains(first)) {
                continue;
            }
            for def in self.tree.resolve(module, &path) {
                match &def {
                    Def::Item(inside, place) => {
                        if let Some(Item::Type(alias)) = self.tree.item(*inside, *place) {
                            named.extend(self.named(*inside, alias.ty.to_token_stream(), parameters));
                        } else {
                            named.push(def);
                        }
                    }
                    Def::Made(..) => named.push(def),
                    // A type that a macro writes into this very module looks like one from outside.
                    Def::Foreign(name) => {
                        let made = Def::Made(module, name.clone());
                        named.extend(self.paths.of.contains_key(&made).then_some(made));
                    }
                    Def::Module(_) | Def::Variant(..) => {}
                }
            }
        }
        named
    }

    fn line(&mut self, path: &str, text: &str, signature: &str) {
        self.surface.lines.insert(format!("{path}: {text}"));
        let words = signature.split(|c: char| !c.is_alphanumeric() && c != '_');
        if words.into_iter().any(|word| word.contains("Cancel")) {
            self.surface.cancellation.insert(String::from(path));
        }
    }
}

/// The paths that stand in a type or a trait, without their arguments; those are paths of their own.
fn paths(stream: TokenStream) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let (mut colons, mut lifetime) = (0, false);
    // Whether a name after `::` goes on with the last path.
    let mut open = false;
    for token in stream {
        match token {
            TokenTree::Ident(ident) => {
                let name = plain(&ident);
                match found.last_mut() {
                    Some(path) if open && colons == 2 => path.push(name),
                    // A lifetime, `::name`, or the rest of a path whose start has arguments.
                    _ if lifetime || colons == 2 => open = false,
                    _ => {
                        found.push(vec![name]);
                        open = true;
                    }
                }
                (colons, lifetime) = (0, false);
            }
            TokenTree::Punct(punct) => {
                colons = if punct.as_char() == ':' { colons + 1 } else { 0 };
                open = open && colons > 0;
                lifetime = punct.as_char() == '\'';
            }
            TokenTree::Group(group) => {
                found.extend(paths(group.stream()));
                (colons, open, lifetime) = (0, false, false);
            }
            TokenTree::Literal(_) => (colons, open, lifetime) = (0, false, false),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::tree::tests::tree_of;

    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let surface = Surface::of(&tree_of(files).unwrap()).unwrap();
        assert_eq!(
            surface.lines.iter().map(String::as_str).collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn impls_follow_their_type_wherever_they_stand() {
        check(
            &[
                ("src/lib.rs", "mod a; mod b; pub use a::{Port, Show};"),
                (
                    "src/a.rs",
                    "pub struct Port<T>(T); pub trait Show: Send { const N: u8; type Out: Clone; fn show(&self);
                       fn twice(&self) {} } trait Hidden {} struct Own; type Alias = Port<u8>;
                     impl<T: Send> Port<T> { pub const MAX: u8 = 1; pub fn get(&self) -> &T { &self.0 } fn no() {} }
                     impl<T> Hidden for Port<T> {} impl Show for Own {} impl From<Own> for Port<u8> {}
                     impl Alias { pub fn of() {} } impl dyn Show { pub fn any(&self) {} }",
                ),
                (
                    "src/b.rs",
                    "use crate::a::{Port as P, Show}; use core::fmt; impl<T> fmt::Debug for P<T> {}
                     impl From<P<u8>> for u8 {} impl<T: Send> Show for T {}
                     impl<T> core::future::Future for P<T> { type Output = T; fn poll() {} }",
                ),
            ],
            &[
                "c::Port: impl From<P<u8>> for u8",
                "c::Port: impl<T> core::future::Future for P<T> { type Output = T }",
                "c::Port: impl<T> fmt::Debug for P<T>",
                "c::Port: pub struct Port<T>(..)",
                "c::Port::MAX: impl<T: Send> Port<T> { pub const MAX: u8 }",
                "c::Port::get: impl<T: Send> Port<T> { pub fn get(&self) -> &T }",
                "c::Port::of: impl Alias { pub fn of() }",
                "c::Show: impl<T: Send> Show for T",
                "c::Show: pub trait Show: Send",
                "c::Show::N: const N: u8",
                "c::Show::Out: type Out: Clone",
                "c::Show::any: impl dyn Show { pub fn any(&self) }",
                "c::Show::show: fn show(&self)",
                "c::Show::twice: fn twice(&self) { .. }",
            ],
        );
    }

    #[test]
    fn what_a_macro_writes_is_noted() {
        check(
            &[
                ("src/lib.rs", "mod a; pub use crate::a::{Base, Kind};"),
                (
                    "src/a.rs",
                    "macro_rules! kinds { () => {} } kinds! { A, B } pub struct Base;
                     impl From<Kind> for Base {} impl Kind { pub fn extra() {} }
                     #[macro_export] macro_rules! shared { () => {} }",
                ),
            ],
            &[
                "c::Base: impl From<Kind> for Base",
                "c::Base: pub struct Base",
                "c::Kind: pub use c::a::Kind (written by kinds!, not expanded)",
                "c::Kind::extra: pub fn extra()",
                "c::shared: macro_rules!",
            ],
        );
    }

    #[test]
    fn cancellation_is_found_in_types_not_in_words() {
        let source = "/// CancelToken
            pub struct CancelToken; impl CancelToken { pub fn fire(&self) {} }
            pub struct Run { pub token: tokio_util::sync::CancellationToken }
            impl Run { pub fn stop(&self, by: &CancelToken) {} pub fn cancel(self) {} fn own(x: CancelToken) {} }
            pub trait Watch { fn until(&self) -> Option<CancelToken>; fn other(&self); }
            pub enum End { Cancelled, /** CancelToken */ Stopped { /** CancelToken */ n: u8 } }
            pub type Stop = CancelToken; mod m { pub fn unseen(x: super::CancelToken) {} }
            pub fn wait(all: Vec<Box<dyn Fn(CancelToken)>>) {} pub fn cancelled() -> End { loop {} }";
        let found = Surface::of(&tree_of(&[("src/lib.rs", source)]).unwrap())
            .unwrap()
            .cancellation;
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [
                "c::CancelToken::fire",
                "c::Run::stop",
                "c::Run::token",
                "c::Stop",
                "c::Watch",
                "c::Watch::until",
                "c::wait"
            ]
        );
    }
}
