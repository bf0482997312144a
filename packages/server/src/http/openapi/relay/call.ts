import type { Words } from '@tollgate/contract';
import type { JsonSchema } from '../shape/schemas.ts';
import type { Parameter } from '../shape/types.ts';

/** The protocols of relay calls, as parts of the reference. */
export type RelayTag =
  | 'openai'
  | 'figures'
  | 'anthropic'
  | 'gemini'
  | 'midjourney'
  | 'suno'
  | 'kling'
  | 'tools';

/** A relay call in the reference. */
export interface RelayCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As in the table of relay routes, with `{name}` slots. */
  path: string;
  tag: RelayTag;
  /** Its name within its part. */
  name: string;
  summary: Words;
  /** The body; a form if marked as one. */
  request?: { schema: JsonSchema; example: Readonly<Record<string, unknown>>; isForm?: true };
  /** A success, and its status if that is not 200. */
  answer: { schema: JsonSchema; type?: string; status?: number };
  /** True if the body's `stream` requests server-sent events. */
  streams?: true;
  /** Values of the path's slots, and fields of the query. */
  parameters?: readonly Parameter[];
}

/** An object that has at least these members: upstreams add their own, and all of them pass. */
export const open = (
  properties: Record<string, JsonSchema>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});

/** A schema with an example value. */
export const like = (schema: JsonSchema, example: unknown): JsonSchema => ({
  ...schema,
  examples: [example],
});

export const text: JsonSchema = { type: 'string' };
export const count: JsonSchema = { type: 'integer', minimum: 0 };
export const list = (items: JsonSchema = {}): JsonSchema => ({ type: 'array', items });
export const model: JsonSchema = { type: 'string', description: 'GET /v1/models' };
export const stream: JsonSchema = { type: 'boolean', default: false };

/** A slot of the path. */
export const slot = (name: string, example: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  schema: text,
  example,
});

/** Tasks of the examples, which are finished, and holds of applications. */
export const exampleTasks = {
  drawing: 'task_drawing',
  song: 'task_song',
  video: 'task_video',
  formerVideo: 'task_former_video',
  batch: 'batch_example',
  messageBatch: 'msgbatch_example',
  formerMessageBatch: 'msgbatch_former',
  googleBatch: 'gbatch_example',
  formerGoogleBatch: 'gbatch_former',
  hold: 'hold_example',
  formerHold: 'hold_former',
} as const;

/** Conversations and responses of the examples; their vendor keeps them. */
export const exampleConversations = {
  conversation: 'conv_example',
  formerConversation: 'conv_former',
} as const;
export const exampleResponses = { response: 'resp_example', formerResponse: 'resp_former' } as const;

/** Files of the examples; the fake vendor numbers them. */
export const exampleFiles = { file: 'file-1Abc', formerFile: 'file-2Abc', batchInput: 'file-3Abc' } as const;

/** Containers that the examples use, in the order in which a test makes them. */
export const exampleContainers = { container: 'cntr_1abc', formerContainer: 'cntr_2abc' } as const;

/** The same of Google. */
export const exampleGoogleFiles = { file: 'f1-abc', formerFile: 'f2-abc' } as const;

/** A picture of one pixel. */
export const examplePicture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
