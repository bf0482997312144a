import type { Language } from '@tollgate/contract';
import type { RelayErrorName } from '@tollgate/contract/relay-errors';
import { type Inbound, tableError } from '../../relay/types/index.ts';
import type { JsonSchema } from './shape/schemas.ts';
import type { Answer, Reference } from './shape/types.ts';
import type { RelayTag } from './relay/call.ts';

/** The errors that any call may have; docs/errors.md has all of them. */
const shown: readonly RelayErrorName[] = [
  'invalid_json',
  'field_required',
  'no_api_key',
  'invalid_api_key',
  'model_not_allowed',
  'insufficient_user_quota',
  'model_not_found',
  'request_too_large',
  'total_limit_reached',
  'internal_error',
  'upstream_unreachable',
  'no_available_channel',
];

/** Values in the texts of these errors. */
const values = { field: 'model', model: 'gpt-4o-mini', group: 'default' };

const error = { message: { type: 'string' }, type: { type: 'string' } };

/** Error formats by protocol. */
export const relayErrorSchemas: Record<string, JsonSchema> = {
  OpenAIError: {
    type: 'object',
    properties: {
      error: {
        type: 'object',
        properties: { ...error, param: {}, code: {} },
        required: ['message', 'type'],
      },
    },
    required: ['error'],
  },
  AnthropicError: {
    type: 'object',
    properties: {
      type: { const: 'error' },
      error: { type: 'object', properties: error, required: ['message', 'type'] },
      request_id: { type: 'string' },
    },
    required: ['type', 'error'],
  },
  GoogleError: {
    type: 'object',
    properties: {
      error: {
        type: 'object',
        properties: {
          code: { type: 'integer' },
          message: { type: 'string' },
          status: { type: 'string' },
          details: { type: 'array' },
        },
        required: ['code', 'message', 'status'],
      },
    },
    required: ['error'],
  },
  MidjourneyError: {
    type: 'object',
    properties: {
      description: { type: 'string' },
      type: { type: 'string' },
      code: { type: 'integer' },
    },
    required: ['description', 'type', 'code'],
  },
  SunoError: {
    type: 'object',
    properties: { code: { type: 'string' }, message: { type: 'string' }, data: { type: 'null' } },
    required: ['code', 'message'],
  },
  JsonRpcError: {
    type: 'object',
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: ['string', 'integer', 'null'] },
      error: {
        type: 'object',
        properties: { code: { type: 'integer' }, message: { type: 'string' }, data: { type: 'object' } },
        required: ['code', 'message'],
      },
    },
    required: ['jsonrpc', 'id', 'error'],
  },
  KlingError: {
    type: 'object',
    properties: {
      code: { type: 'integer' },
      message: { type: 'string' },
      request_id: { type: 'string' },
      data: { type: 'null' },
    },
    required: ['code', 'message', 'request_id'],
  },
};

const shapes: Record<RelayTag, string> = {
  openai: 'OpenAIError',
  figures: 'OpenAIError',
  anthropic: 'AnthropicError',
  gemini: 'GoogleError',
  midjourney: 'MidjourneyError',
  suno: 'SunoError',
  kling: 'KlingError',
  tools: 'JsonRpcError',
};

/** The format of a failure: errors about keys are in OpenAI's format for Midjourney's clients too. */
const shapeOf = (tag: RelayTag, body: object): string =>
  tag === 'midjourney' && 'error' in body ? shapes.openai : shapes[tag];

/** The failures of each protocol, written once by the protocol itself, for the components of the document. */
export class RelayErrors {
  readonly components: Record<string, Answer> = {};

  /** The answers of a failed call, by status. */
  refer(tag: RelayTag, inbound: Inbound, language: Language): Record<string, Reference> {
    const responses: Record<string, Reference> = {};
    for (const name of shown) {
      const { status, body } = inbound.writeError(tableError(name, values).in(language), 'request-id');
      const value = JSON.parse(body) as object;
      const shape = shapeOf(tag, value);
      const id = `${shape}${status}`;
      const known = this.components[id]?.content?.['application/json'];
      const examples = { ...known?.examples, [name]: { value } };
      this.components[id] = {
        description: Object.keys(examples).join(', '),
        content: {
          'application/json': { schema: { $ref: `#/components/schemas/${shape}` }, examples },
        },
      };
      responses[status] = { $ref: `#/components/responses/${id}` };
    }
    return responses;
  }
}
