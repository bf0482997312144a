import { groupSchema, userSchema } from './resources.ts';
import type { Resource } from './patch.ts';

const configSchema = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const typeSchema = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const schemaSchema = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

/** Most resources in one answer of a list. */
export const maxResults = 200;

/** What these calls can do (RFC 7643, 5). */
export const serviceProviderConfig = (base: string): Resource => ({
  schemas: [configSchema],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Access token',
      description: 'An access token of root with the scope scim',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

/** The kinds of resources (RFC 7643, 6). */
export const resourceTypes = (base: string): Resource[] =>
  (
    [
      ['User', userSchema],
      ['Group', groupSchema],
    ] as const
  ).map(([id, schema]) => ({
    schemas: [typeSchema],
    id,
    name: id,
    endpoint: `/${id}s`,
    schema,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${id}` },
  }));

interface Facts {
  description: string;
  type?: string;
  required?: boolean;
  multiValued?: boolean;
  mutability?: 'readWrite' | 'readOnly' | 'immutable';
  uniqueness?: 'none' | 'server';
  referenceTypes?: string[];
  subAttributes?: Resource[];
}

/** An attribute with the usual properties of RFC 7643, 7. */
const attribute = (name: string, { type = 'string', ...facts }: Facts): Resource => ({
  name,
  type,
  multiValued: false,
  required: false,
  ...(type === 'string' && { caseExact: false }),
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...facts,
});

const text = (name: string, description: string): Resource => attribute(name, { description });

const userAttributes: Resource[] = [
  attribute('userName', { description: 'Unique name', required: true, uniqueness: 'server' }),
  attribute('name', {
    description: 'Parts of the name',
    type: 'complex',
    subAttributes: [
      text('formatted', 'The whole name'),
      text('familyName', 'Family name'),
      text('givenName', 'Given name'),
    ],
  }),
  text('displayName', 'Name that is shown'),
  attribute('active', { description: 'False ends the account, its sessions and keys', type: 'boolean' }),
  attribute('emails', {
    description: 'Addresses; the account has the primary one',
    type: 'complex',
    multiValued: true,
    subAttributes: [
      text('value', 'Address'),
      text('type', 'Kind of address'),
      attribute('primary', { description: 'True for the address of the account', type: 'boolean' }),
    ],
  }),
  attribute('groups', {
    description: 'Groups of the user',
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: [
      attribute('value', { description: 'Id of the group', mutability: 'readOnly' }),
      attribute('$ref', {
        description: 'Address of the group',
        type: 'reference',
        referenceTypes: ['Group'],
        mutability: 'readOnly',
      }),
      attribute('display', { description: 'Name of the group', mutability: 'readOnly' }),
      attribute('type', { description: 'Always direct', mutability: 'readOnly' }),
    ],
  }),
];

const groupAttributes: Resource[] = [
  attribute('displayName', {
    description: 'Unique name; rules of SignInRules name it',
    required: true,
    uniqueness: 'server',
  }),
  attribute('members', {
    description: 'Users of the group',
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', { description: 'Id of the user', mutability: 'immutable' }),
      attribute('$ref', {
        description: 'Address of the user',
        type: 'reference',
        referenceTypes: ['User'],
        mutability: 'immutable',
      }),
      attribute('display', { description: 'Name of the user', mutability: 'readOnly' }),
      attribute('type', { description: 'Always User', mutability: 'readOnly' }),
    ],
  }),
];

/** The attributes that are kept (RFC 7643, 7). Others are accepted and have no effect. */
export const schemas = (base: string): Resource[] =>
  (
    [
      [userSchema, 'User', userAttributes],
      [groupSchema, 'Group', groupAttributes],
    ] as const
  ).map(([id, name, attributes]) => ({
    schemas: [schemaSchema],
    id,
    name,
    description: name,
    attributes,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  }));
