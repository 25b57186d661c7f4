// The schemas of users and groups (RFC 7643, sections 4 and 7).

import type { Attribute, ResourceShape, Schema } from "./attribute.ts";

/** URN of what a list answers. */
export const listUrn = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
/** URN of a PATCH body. */
export const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: "string",
  description,
  ...more,
});

const primary: Attribute = { name: "primary", type: "boolean", description: "Whether it is the preferred value." };

/** An attribute of several values, each with its kind. */
function several(name: string, description: string, more: Partial<Attribute> = {}): Attribute {
  const sub = [
    text("value", "The value."),
    text("display", "The value for people."),
    text("type", "Its kind, such as work or home."),
    primary,
  ];
  return { name, type: "complex", isMulti: true, description, sub, ...more };
}

const readOnly = { mutability: "readOnly" as const };

/** Attributes that every resource has and no schema lists. */
const common: readonly Attribute[] = [
  text("id", "Identifier of the resource.", { ...readOnly, uniqueness: "server" }),
  text("externalId", "Identifier in the directory.", { isExact: true }),
  {
    name: "meta",
    type: "complex",
    description: "Facts about the resource.",
    ...readOnly,
    sub: [
      text("resourceType", "Type of the resource.", { ...readOnly, isExact: true }),
      { name: "created", type: "dateTime", description: "When it was created.", ...readOnly },
      { name: "lastModified", type: "dateTime", description: "When it was changed last.", ...readOnly },
      { name: "location", type: "reference", description: "Its address.", ...readOnly, isExact: true },
      text("version", "Its version.", { ...readOnly, isExact: true }),
    ],
  },
  { name: "schemas", type: "reference", isMulti: true, description: "Schemas of the resource.", ...readOnly },
];

const addressParts = ["formatted", "streetAddress", "locality", "region", "postalCode", "country", "type"];
const nameParts = ["formatted", "familyName", "givenName", "middleName", "honorificPrefix", "honorificSuffix"];

/** A member of the organization. */
export const userSchema: Schema = {
  uri: "urn:ietf:params:scim:schemas:core:2.0:User",
  name: "User",
  description: "A member of the organization.",
  attributes: [
    text("userName", "Name of the user in the directory, unique in the organization.", {
      isRequired: true,
      uniqueness: "server",
    }),
    {
      name: "name",
      type: "complex",
      description: "Parts of the person's name.",
      sub: nameParts.map((name) => text(name, `The part "${name}".`)),
    },
    text("displayName", "The name to show."),
    text("nickName", "The name to call the person by."),
    { name: "profileUrl", type: "reference", description: "A page about the person.", referenceTypes: ["external"] },
    text("title", "Title, such as Vice President."),
    text("userType", "Relation to the organization, such as Contractor."),
    text("preferredLanguage", "Preferred language, such as en-US."),
    text("locale", "Place for formats, such as en-US."),
    text("timezone", "Time zone, such as Europe/Berlin."),
    { name: "active", type: "boolean", description: "Whether the person may use the organization." },
    text("password", "Accepted and dropped: nobody signs in with it.", { mutability: "writeOnly" }),
    several("emails", "E-mail addresses. The primary one, or the first of type work, is that of the member."),
    several("phoneNumbers", "Phone numbers."),
    several("ims", "Addresses of instant messaging."),
    several("photos", "Addresses of photos."),
    {
      name: "addresses",
      type: "complex",
      isMulti: true,
      description: "Postal addresses.",
      sub: [...addressParts.map((name) => text(name, `The part "${name}".`)), primary],
    },
    several("groups", "Groups of the directory that the user is in.", readOnly),
    several("entitlements", "What the person is entitled to."),
    several("roles", "The role in the organization, which follows from groups.", readOnly),
    several("x509Certificates", "Certificates of the person."),
  ],
};

/** What companies add to users. */
export const enterpriseSchema: Schema = {
  uri: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  name: "EnterpriseUser",
  description: "What companies add to a user.",
  attributes: [
    text("employeeNumber", "Number of the employee."),
    text("costCenter", "Cost center."),
    text("organization", "Organization."),
    text("division", "Division."),
    text("department", "Department."),
    {
      name: "manager",
      type: "complex",
      description: "The manager.",
      sub: [text("value", "Identifier of the manager."), text("displayName", "Name of the manager.")],
    },
  ],
};

/** A group of the directory. */
export const groupSchema: Schema = {
  uri: "urn:ietf:params:scim:schemas:core:2.0:Group",
  name: "Group",
  description: "A group of the directory, which gives its members a role.",
  attributes: [
    text("displayName", "Name of the group.", { isRequired: true, uniqueness: "server" }),
    {
      name: "members",
      type: "complex",
      isMulti: true,
      description: "Members of the group: users, never groups.",
      sub: [
        text("value", "Identifier of the user."),
        text("display", "Name of the user.", readOnly),
        text("type", "Always User.", { isExact: true }),
      ],
    },
  ],
};

/** Users, with what companies add. */
export const userShape: ResourceShape = { core: userSchema, extensions: [enterpriseSchema], common };
/** Groups. */
export const groupShape: ResourceShape = { core: groupSchema, extensions: [], common };
