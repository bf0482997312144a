import type { Language } from '@tollgate/contract';
import type { JsonSchema } from './schemas.ts';

/** An example value of a body in the document. */
export interface Example {
  summary?: string;
  value: unknown;
}

/** A reference to something in the components of the document. */
export interface Reference {
  $ref: string;
}

/** A body in one media type. */
export interface MediaType {
  schema: JsonSchema;
  examples?: Record<string, Example | Reference>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}

export interface Answer {
  description: string;
  content?: Record<string, MediaType>;
}

/** One call in OpenAPI's format. */
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  /** Access: a level of the console, or `key` and `session` of the relay. */
  'x-access': string;
  /** Codes of its possible refusals. */
  'x-refusals'?: string[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, Answer | Reference>;
}

/** An operation and its place. */
export interface PlacedOperation {
  /** With `{name}` slots. */
  path: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  operation: Operation;
}

/** Input for describing an operation. */
export interface WriteContext {
  language: Language;
  /** Schemas that others refer to by name. */
  components: Readonly<Record<string, JsonSchema>>;
}
