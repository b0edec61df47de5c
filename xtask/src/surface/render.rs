//! How an item is written down: its signature on one line, without bodies, documentation and most attributes.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Field, Fields, FnArg, Generics, ItemTrait, Pat, Safety, Signature, Variant};

use super::tree::{in_tests, is_public};

pub(super) fn function(signature: &Signature) -> String {
    let safety = match signature.safety {
        Safety::Safe(_) => "safe ",
        Safety::Unsafe(_) => "unsafe ",
        Safety::Default => "",
    };
    let mut inputs: Vec<String> = signature.inputs.iter().map(input).collect();
    inputs.extend(signature.variadic.as_ref().map(|_| String::from("...")));
    let output = tokens(&signature.output);
    format!(
        "{}{}{safety}{}fn {}{}({}){}{output}{}",
        if signature.constness.is_some() {
            "const "
        } else {
            ""
        },
        if signature.asyncness.is_some() {
            "async "
        } else {
            ""
        },
        signature
            .abi
            .as_ref()
            .map(|abi| tokens(abi) + " ")
            .unwrap_or_default(),
        signature.ident,
        tokens(&signature.generics),
        inputs.join(", "),
        if output.is_empty() { "" } else { " " },
        bounds(&signature.generics),
    )
}

/// One parameter. Whether the body may change its own copy is left out.
fn input(input: &FnArg) -> String {
    match input {
        FnArg::Receiver(receiver) => {
            let text = tokens(receiver);
            text.strip_prefix("mut ").map(String::from).unwrap_or(text)
        }
        FnArg::Typed(typed) => {
            let name = if let Pat::Ident(name) = &*typed.pat {
                tokens(&name.ident)
            } else {
                String::from("_")
            };
            format!("{name}: {}", tokens(&typed.ty))
        }
    }
}

/// The `where` clause, with the space before it.
pub(super) fn bounds(generics: &Generics) -> String {
    let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let predicates: Vec<String> = predicates.map(tokens).collect();
    if predicates.is_empty() {
        String::new()
    } else {
        format!(" where {}", predicates.join(", "))
    }
}

/// A trait without its items.
pub(super) fn trait_head(item: &ItemTrait) -> String {
    format!(
        "pub {}trait {}{}{}{}{}",
        if item.unsafety.is_some() { "unsafe " } else { "" },
        item.ident,
        tokens(&item.generics),
        if item.supertraits.is_empty() { "" } else { ": " },
        tokens(&item.supertraits),
        bounds(&item.generics),
    )
}

/// The shape of a struct: the names of its public fields, and `..` for all the others.
pub(super) fn shape(fields: &Fields) -> String {
    let hidden = fields
        .iter()
        .any(|field| !is_public(&field.vis) && !in_tests(&field.attrs));
    let mut parts: Vec<String> = public_fields(fields).map(|(name, _)| name).collect();
    parts.extend(hidden.then(|| String::from("..")));
    enclose(fields, &parts)
}

fn enclose(fields: &Fields, parts: &[String]) -> String {
    match fields {
        Fields::Named(_) if parts.is_empty() => String::from(" {}"),
        Fields::Named(_) => format!(" {{ {} }}", parts.join(", ")),
        Fields::Unnamed(_) => format!("({})", parts.join(", ")),
        Fields::Unit => String::new(),
    }
}

/// The public fields, by name or by place.
pub(super) fn public_fields(fields: &Fields) -> impl Iterator<Item = (String, &Field)> {
    let named = fields.iter().enumerate().map(|(place, field)| {
        let name = field
            .ident
            .as_ref()
            .map_or_else(|| place.to_string(), ToString::to_string);
        (name, field)
    });
    named.filter(|(_, field)| is_public(&field.vis) && !in_tests(&field.attrs))
}

/// A variant with its fields. `#[from]` stays, since it writes an `impl From`.
pub(super) fn variant(variant: &Variant) -> String {
    let fields = variant.fields.iter().filter(|field| !in_tests(&field.attrs));
    let fields = fields.map(|field| {
        let from = if has(&field.attrs, "from") { "#[from] " } else { "" };
        let name = field.ident.as_ref().map(|name| format!("{name}: "));
        format!("{from}{}{}", name.unwrap_or_default(), tokens(&field.ty))
    });
    let fields = enclose(&variant.fields, &fields.collect::<Vec<_>>());
    let value = variant
        .discriminant
        .as_ref()
        .map(|(_, value)| format!(" = {}", tokens(value)));
    format!(
        "{}{}{fields}{}",
        open_ended(&variant.attrs),
        variant.ident,
        value.unwrap_or_default()
    )
}

/// `#[non_exhaustive]` stays, since it decides what other crates may write.
pub(super) fn open_ended(attributes: &[Attribute]) -> &'static str {
    if has(attributes, "non_exhaustive") {
        "#[non_exhaustive] "
    } else {
        ""
    }
}

fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident(name))
}

/// Tokens on one line. The spacing is our own, so that it does not follow the line breaks of the source; so is the
/// comma at the end of a list, which is left out.
pub(super) fn tokens(of: &(impl ToTokens + ?Sized)) -> String {
    let mut pieces = Vec::new();
    split(of.to_token_stream(), &mut pieces);
    let mut line = String::new();
    let mut last: Option<&str> = None;
    for piece in &pieces {
        if last.is_some_and(|last| spaced(last, piece)) {
            line.push(' ');
        }
        line.push_str(piece);
        last = Some(piece);
    }
    line
}

fn split(stream: TokenStream, pieces: &mut Vec<String>) {
    // The first half of an operator or of a lifetime.
    let mut half = String::new();
    for token in stream {
        match token {
            TokenTree::Punct(punct) => {
                half.push(punct.as_char());
                if punct.spacing() == Spacing::Alone {
                    if half == ">" && pieces.last().is_some_and(|last| last == ",") {
                        pieces.pop();
                    }
                    pieces.push(std::mem::take(&mut half));
                }
            }
            TokenTree::Ident(ident) => pieces.push(std::mem::take(&mut half) + &ident.to_string()),
            TokenTree::Literal(literal) => pieces.push(literal.to_string()),
            TokenTree::Group(group) => split_group(group.delimiter(), group.stream(), pieces),
        }
    }
    pieces.extend((!half.is_empty()).then_some(half));
}

fn split_group(delimiter: Delimiter, stream: TokenStream, pieces: &mut Vec<String>) {
    let (open, close) = match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::None => return split(stream, pieces),
    };
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let commas = stream.clone().into_iter().filter(is_comma).count();
    pieces.push(String::from(open));
    split(stream, pieces);
    // The one comma of `(T,)` stays: it tells a tuple from `T`.
    if commas > 1 && pieces.last().is_some_and(|last| last == ",") {
        pieces.pop();
    }
    pieces.push(String::from(close));
}

fn spaced(left: &str, right: &str) -> bool {
    let after_name = left == ">" || left.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    match (left, right) {
        ("(" | "[" | "<" | "&" | "::" | "!" | "*" | "#" | "?" | ".", _) => false,
        (_, ")" | "]" | ">" | "," | ";" | ":" | ".") => false,
        ("mut" | "dyn" | "where" | "as" | "const", "(" | "<" | "::") => true,
        (_, "(" | "<" | "::") => !after_name,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::{Item, ItemFn, ItemStruct, Type};

    fn check_function(source: &str, expected: &str) {
        assert_eq!(function(&syn::parse_str::<ItemFn>(source).unwrap().sig), expected);
    }

    #[test]
    fn a_signature_does_not_depend_on_its_layout() {
        check_function("fn f() {}", "fn f()");
        check_function(
            "const unsafe fn f(self) -> ! { loop {} }",
            "const unsafe fn f(self) -> !",
        );
        check_function(
            "async fn send<'a, T: ?Sized + Into<Vec<u8>>,>(
                &'a mut self,
                mut body: &'a [T],
                (a, b): (u8, u8),
            ) -> Result<Box<dyn Fn(&T) -> [u8; 4] + 'a>, E> where T: Send, { body }",
            "async fn send<'a, T: ?Sized + Into<Vec<u8>>>(&'a mut self, body: &'a [T], _: (u8, u8)) \
             -> Result<Box<dyn Fn(&T) -> [u8; 4] + 'a>, E> where T: Send",
        );
        check_function(
            "fn f(mut self: Pin<&mut Self>, x: impl for<'a> Fn(&'a str)) {}",
            "fn f(self: Pin<&mut Self>, x: impl for<'a> Fn(&'a str))",
        );
        check_function(
            "fn f(x: <T as ::core::ops::Add>::Output, y: *const u8) -> (A, B,) {}",
            "fn f(x: <T as ::core::ops::Add>::Output, y: *const u8) -> (A, B)",
        );
    }

    #[test]
    fn a_tuple_of_one_stays_a_tuple() {
        assert_eq!(tokens(&syn::parse_str::<Type>("(T,)").unwrap()), "(T,)");
    }

    #[test]
    fn a_shape_tells_whether_others_can_build_it() {
        for (source, expected) in [
            ("struct S { pub a: u8, pub b: u8 }", " { a, b }"),
            ("struct S { pub a: u8, b: u8, pub(crate) c: u8 }", " { a, .. }"),
            ("struct S { #[cfg(test)] pub a: u8, #[cfg(test)] b: u8 }", " {}"),
            ("struct S(u8, pub u8);", "(1, ..)"),
            ("struct S;", ""),
        ] {
            assert_eq!(
                shape(&syn::parse_str::<ItemStruct>(source).unwrap().fields),
                expected
            );
        }
    }

    #[test]
    fn variants_show_their_fields_and_values() {
        let Item::Enum(item) = syn::parse_str(
            "enum E { A, #[non_exhaustive] B { #[doc = \"x\"] x: u8, }, C(#[from] u8, V<W>), D = 4 }",
        )
        .unwrap() else {
            panic!("not an enum")
        };
        let variants: Vec<String> = item.variants.iter().map(variant).collect();
        assert_eq!(
            variants,
            [
                "A",
                "#[non_exhaustive] B { x: u8 }",
                "C(#[from] u8, V<W>)",
                "D = 4"
            ]
        );
    }
}
