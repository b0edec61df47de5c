//! From a server's definition to a tool of the catalogue, or to the reason why not.

use std::collections::{BTreeMap, BTreeSet};

use mcp_wire::{JsonPiece, JsonReader, JsonType, ToolDefinition, ToolName};

use super::fingerprint::{Fingerprint, MEMBERS, canonical_form, same_value};
use super::form::{CanonicalFault, Form};
use super::lint::{Flag, inspect};
use super::name::{LocalName, LocalNameFault, NameTaken};
use super::schema::{self, InputSchema, SchemaFault};
use super::surroundings::Surroundings;
use crate::quarantine::{QuarantineReason, Quarantined};
use crate::server::ServerName;

/// What is kept of a definition. Remote text but for the fingerprints; nothing in it decides policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The title. `null` counts as absent here and below.
    pub title: Option<String>,
    /// The description as the server wrote it.
    pub description: Option<String>,
    /// The text of an [`InputSchema`]. A store may give back another text, so it is read anew before use.
    pub input_schema: String,
    /// The output schema as the server wrote it. Not judged.
    pub output_schema: Option<String>,
    /// The annotations as the server wrote them: shown, never heeded.
    pub annotations: Option<String>,
    /// Of the definition as the server wrote it.
    pub fingerprint: Fingerprint,
    /// Of the input schema as the server wrote it, with the members that are not kept.
    pub schema_fingerprint: Fingerprint,
}

/// A part of a definition that can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the members of a definition")]
pub enum Part {
    Title,
    Description,
    InputSchema,
    OutputSchema,
    Annotations,
}

impl Part {
    /// The name of the member.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Description => "description",
            Self::InputSchema => "inputSchema",
            Self::OutputSchema => "outputSchema",
            Self::Annotations => "annotations",
        }
    }
}

impl Definition {
    fn read(definition: &ToolDefinition) -> Result<Self, DefinitionFault> {
        let members = definition.members(MEMBERS);
        let [annotations, description, schema, _, output_schema, title] = members;
        let present = |member: Option<_>| member.filter(|(kind, _)| *kind != JsonType::Null);
        let verbatim = |member| present(member).map(|(_, text): (_, &str)| text.to_owned());
        let string = |member, fault| {
            let text = present(member).map(|(_, text)| read_string(text).ok_or(fault));
            text.transpose()
        };
        let title = string(title, DefinitionFault::TitleNotString)?;
        let description = string(description, DefinitionFault::DescriptionNotString)?;
        let (_, schema_text) = schema.ok_or(SchemaFault::Missing)?;
        let tree = schema::read(schema_text)?;
        let mut canonical = String::with_capacity(schema_text.len());
        let canonical = tree.write(&mut canonical, Form::Canonical).map(|()| canonical);
        let input_schema = InputSchema::of_tree(tree, schema_text.len())?.into_text();
        let (fingerprint, schema_fingerprint) = Fingerprint::of_members(&members, canonical)?;
        Ok(Self {
            title,
            description,
            input_schema,
            output_schema: verbatim(output_schema),
            annotations: verbatim(annotations),
            fingerprint,
            schema_fingerprint,
        })
    }

    /// The parts in which another definition differs, the name not counted. Spelling is no difference.
    #[must_use]
    pub fn difference(&self, other: &Self) -> BTreeSet<Part> {
        let differs = |one: &Option<String>, other: &Option<String>| match (one, other) {
            (Some(one), Some(other)) => !same_value(one, other),
            (one, other) => one.is_some() != other.is_some(),
        };
        let parts = [
            (Part::Title, self.title != other.title),
            (Part::Description, self.description != other.description),
            (
                Part::InputSchema,
                self.schema_fingerprint != other.schema_fingerprint,
            ),
            (
                Part::OutputSchema,
                differs(&self.output_schema, &other.output_schema),
            ),
            (Part::Annotations, differs(&self.annotations, &other.annotations)),
        ];
        parts
            .into_iter()
            .filter(|(_, differs)| *differs)
            .map(|(part, _)| part)
            .collect()
    }

    /// What two definitions have in common that differ in nothing but the name.
    pub(super) fn nameless(&self) -> impl Ord + use<'_> {
        let canonical = |text: &Option<String>| {
            let text = text.as_deref()?;
            Some(canonical_form(text).unwrap_or_else(|_fault| text.to_owned()))
        };
        (
            self.schema_fingerprint,
            self.title.as_deref(),
            self.description.as_deref(),
            canonical(&self.output_schema),
            canonical(&self.annotations),
        )
    }

    /// The description that a model is shown. It begins with where the tool comes from, in our words.
    #[must_use]
    pub fn model_description(&self, server: &ServerName) -> String {
        let origin = format!("[Tool of the remote MCP server {server}]");
        match self.description.as_deref().or(self.title.as_deref()) {
            Some(text) if !text.is_empty() => origin + " " + text,
            Some(_) | None => origin,
        }
    }
}

/// The string that a JSON text is.
fn read_string(text: &str) -> Option<String> {
    match JsonReader::new(text).next() {
        Some(Ok(JsonPiece::String(text))) => Some(text.into_owned()),
        Some(_) | None => None,
    }
}

/// Why a definition that has a name cannot be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionFault {
    /// Its name gives no local name.
    #[error(transparent)]
    LocalName(#[from] LocalNameFault),
    /// Its local name is taken.
    #[error(transparent)]
    Taken(#[from] NameTaken),
    /// Its title is of another JSON type.
    #[error("the title is not a string")]
    TitleNotString,
    /// Its description is of another JSON type.
    #[error("the description is not a string")]
    DescriptionNotString,
    /// Its input schema cannot be used.
    #[error(transparent)]
    Schema(#[from] SchemaFault),
    /// It has no canonical form, so no fingerprint.
    #[error("the definition has no canonical form: {0}")]
    NotCanonical(#[from] CanonicalFault),
}

impl DefinitionFault {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::LocalName(fault) => fault.kind(),
            Self::Taken(taken) => taken.kind(),
            Self::TitleNotString => "title-not-string",
            Self::DescriptionNotString => "description-not-string",
            Self::Schema(fault) => fault.kind(),
            Self::NotCanonical(fault) => fault.kind(),
        }
    }
}

/// A definition that can be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedTool {
    /// Its name on the wire.
    pub remote_name: ToolName,
    /// Its name before gate and model.
    pub local_name: LocalName,
    /// What is kept of it.
    pub definition: Definition,
    /// What a person should look at.
    pub flags: BTreeSet<Flag>,
}

impl ImportedTool {
    /// Reads one definition of the server whose surroundings these are.
    ///
    /// # Errors
    ///
    /// [`DefinitionFault`] of the first rule that it breaks: names come before texts, these before schemas and numbers.
    pub fn read(definition: &ToolDefinition, surroundings: &Surroundings) -> Result<Self, DefinitionFault> {
        let remote_name = definition.name().clone();
        let local_name = LocalName::compose(surroundings.server(), &remote_name)?;
        surroundings.claim(&local_name)?;
        let definition = Definition::read(definition)?;
        let flags = inspect(&remote_name, &definition, surroundings);
        Ok(Self {
            remote_name,
            local_name,
            definition,
            flags,
        })
    }
}

/// What one server offers: each tool once, and what was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub(super) server: ServerName,
    pub(super) tools: BTreeMap<ToolName, ImportedTool>,
    pub(super) quarantined: Vec<Quarantined>,
}

impl Offer {
    /// Reads a server's whole list, each definition on its own. A name that occurs twice sets aside both.
    #[must_use]
    pub fn read(
        tools: &[ToolDefinition],
        mut quarantined: Vec<Quarantined>,
        surroundings: &Surroundings,
    ) -> Self {
        let mut twins: BTreeMap<&ToolName, usize> = BTreeMap::new();
        for tool in tools {
            *twins.entry(tool.name()).or_default() += 1;
        }
        let mut kept = BTreeMap::new();
        for tool in tools {
            let reason = if twins.get(tool.name()).is_some_and(|count| *count > 1) {
                QuarantineReason::Ambiguous
            } else {
                match ImportedTool::read(tool, surroundings) {
                    Ok(imported) => {
                        kept.insert(imported.remote_name.clone(), imported);
                        continue;
                    }
                    Err(fault) => fault.into(),
                }
            };
            quarantined.push(Quarantined {
                name: Some(tool.name().clone()),
                reason,
            });
        }
        Self {
            server: surroundings.server().clone(),
            tools: kept,
            quarantined,
        }
    }

    /// The tools, by remote name.
    pub fn tools(&self) -> impl Iterator<Item = &ImportedTool> {
        self.tools.values()
    }

    /// What was set aside, and why.
    #[must_use]
    pub fn quarantined(&self) -> &[Quarantined] {
        &self.quarantined
    }
}
