import type { JsonSchema } from '../shape/schemas.ts';
import { count, exampleFiles, exampleTasks, like, list, open, type RelayCall, slot, text } from './call.ts';

const { batch, messageBatch, formerMessageBatch, googleBatch, formerGoogleBatch } = exampleTasks;
const counts = open({ total: count, completed: count, failed: count });
const textOrNull = { type: ['string', 'null'] };

const openaiBatch = open(
  {
    id: like(text, batch),
    object: { const: 'batch' },
    endpoint: like(text, '/v1/chat/completions'),
    status: like(text, 'validating'),
    input_file_id: like(text, exampleFiles.batchInput),
    output_file_id: textOrNull,
    error_file_id: textOrNull,
    request_counts: counts,
  },
  ['id', 'object', 'status'],
);
const claudeBatch = open(
  {
    id: like(text, messageBatch),
    type: { const: 'message_batch' },
    processing_status: like(text, 'in_progress'),
    request_counts: open({
      processing: count,
      succeeded: count,
      errored: count,
      canceled: count,
      expired: count,
    }),
    results_url: textOrNull,
  },
  ['id', 'type', 'processing_status'],
);
const page = (items: JsonSchema) =>
  open({ data: list(items), first_id: textOrNull, last_id: textOrNull, has_more: { type: 'boolean' } }, [
    'data',
    'has_more',
  ]);

const googleName = `batches/${googleBatch}`;
const operation = open(
  {
    name: like(text, googleName),
    metadata: open({ state: like(text, 'BATCH_STATE_PENDING'), batchStats: open({}) }),
    done: { type: 'boolean' },
  },
  ['name', 'metadata'],
);

/** The request for a batch with one call. */
const googleOrder = (request: object): NonNullable<RelayCall['request']> => ({
  schema: open({ batch: open({ displayName: text, inputConfig: { type: 'object' } }, ['inputConfig']) }, [
    'batch',
  ]),
  example: { batch: { displayName: 'night', inputConfig: { requests: { requests: [{ request }] } } } },
});

/** The calls of a vendor about its batches. */
interface Family {
  tag: RelayCall['tag'];
  /** Path of the list, and its name in the reference. */
  path: string;
  name: string;
  /** A batch of the examples; a former one, which is deleted. */
  example: string;
  former?: string;
  /** Path of the call that makes one. */
  create?: Pick<RelayCall, 'path' | 'parameters'>;
  made: Pick<RelayCall, 'summary' | 'request'>;
  schema: JsonSchema;
  list: JsonSchema;
  cancel: string;
  cancelled?: JsonSchema;
  deleted?: JsonSchema;
}

const callsOf = (family: Family): RelayCall[] => {
  const { tag, path, name, example, former, create = { path }, made, schema, deleted } = family;
  const one = { tag, path: `${path}/{id}`, parameters: [slot('id', example)] };
  return [
    { method: 'POST', tag, name, ...create, ...made, answer: { schema } },
    {
      method: 'GET',
      tag,
      path,
      name: `${name}-list`,
      summary: { zh: '列出自己的批量任务', en: 'List your batches' },
      answer: { schema: family.list },
    },
    {
      ...one,
      method: 'GET',
      name: `${name}-read`,
      summary: { zh: '查询批量任务', en: 'Read one of your batches' },
      answer: { schema },
    },
    {
      ...one,
      method: 'POST',
      path: one.path + family.cancel,
      name: `${name}-cancel`,
      summary: {
        zh: '取消批量任务，已完成的请求仍计费',
        en: 'Cancel a batch; what has ended by then is charged',
      },
      answer: { schema: family.cancelled ?? schema },
    },
    ...(deleted && former !== undefined
      ? [
          {
            ...one,
            method: 'DELETE' as const,
            parameters: [slot('id', former)],
            name: `${name}-delete`,
            summary: { zh: '删除已结束的批量任务', en: 'Delete a batch that has ended' },
            answer: { schema: deleted },
          },
        ]
      : []),
  ];
};

/** Batches of calls. */
export const batchCalls: readonly RelayCall[] = [
  ...callsOf({
    tag: 'openai',
    path: '/v1/batches',
    name: 'batch',
    example: batch,
    made: {
      summary: {
        zh: '批量执行已上传文件中的请求，按批量价格计费',
        en: 'Make the calls of an uploaded file as a batch, at batch prices',
      },
      request: {
        schema: open(
          { input_file_id: text, endpoint: text, completion_window: text, metadata: { type: 'object' } },
          ['input_file_id', 'endpoint'],
        ),
        example: {
          input_file_id: exampleFiles.batchInput,
          endpoint: '/v1/chat/completions',
          completion_window: '24h',
        },
      },
    },
    schema: openaiBatch,
    list: page(openaiBatch),
    cancel: '/cancel',
  }),
  ...callsOf({
    tag: 'anthropic',
    path: '/v1/messages/batches',
    name: 'message-batch',
    example: messageBatch,
    former: formerMessageBatch,
    made: {
      summary: {
        zh: '批量执行 Messages 请求，按批量价格计费',
        en: 'Make calls as a batch, at batch prices',
      },
      request: {
        schema: open({ requests: list(open({ custom_id: text, params: { type: 'object' } })) }, ['requests']),
        example: {
          requests: [
            {
              custom_id: 'first',
              params: {
                model: 'claude-sonnet-4-20250514',
                max_tokens: 100,
                messages: [{ role: 'user', content: 'Hello!' }],
              },
            },
          ],
        },
      },
    },
    schema: claudeBatch,
    list: page(claudeBatch),
    cancel: '/cancel',
    deleted: open({ id: text, type: { const: 'message_batch_deleted' } }, ['id', 'type']),
  }),
  {
    method: 'GET',
    path: '/v1/messages/batches/{id}/results',
    tag: 'anthropic',
    name: 'message-batch-results',
    parameters: [slot('id', messageBatch)],
    summary: { zh: '读取批量任务的结果', en: 'Read the results of a batch, a line each' },
    answer: { schema: text, type: 'application/x-jsonl' },
  },
  ...callsOf({
    tag: 'gemini',
    path: '/v1beta/batches',
    name: 'google-batch',
    example: googleBatch,
    former: formerGoogleBatch,
    create: {
      path: '/v1beta/models/{model}:batchGenerateContent',
      parameters: [slot('model', 'gemini-2.5-flash')],
    },
    made: {
      summary: {
        zh: '批量执行请求体或已上传文件中的请求，按批量价格计费（仅 Gemini 渠道）',
        en: 'Make the calls in the request or in an uploaded file as a batch, at batch prices, on channels of Google',
      },
      request: googleOrder({ contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] }),
    },
    schema: operation,
    list: open({ operations: list(operation), nextPageToken: text }, ['operations']),
    cancel: ':cancel',
    cancelled: open({}),
    deleted: open({}),
  }),
  {
    method: 'POST',
    path: '/v1beta/models/{model}:asyncBatchEmbedContent',
    tag: 'gemini',
    name: 'google-embedding-batch',
    parameters: [slot('model', 'gemini-embedding-001')],
    summary: {
      zh: '批量计算请求体或已上传文件中的嵌入，按批量价格计费（仅 Gemini 渠道）',
      en: 'Make the embeddings in the request or in an uploaded file as a batch, at batch prices, on channels of Google',
    },
    request: googleOrder({ content: { parts: [{ text: 'Hello!' }] } }),
    answer: { schema: operation },
  },
];
