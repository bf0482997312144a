import type { JsonSchema } from '../shape/schemas.ts';
import { count, exampleFiles, exampleTasks, like, list, open, type RelayCall, slot, text } from './call.ts';

const { batch, messageBatch, formerMessageBatch } = exampleTasks;
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

/** Batches of OpenAI. */
const ofOpenai: readonly RelayCall[] = [
  {
    method: 'POST',
    path: '/v1/batches',
    tag: 'openai',
    name: 'batch',
    summary: {
      zh: '批量执行已上传文件中的请求，按批量价格计费（仅 OpenAI 与 Azure 渠道）',
      en: 'Make the calls of an uploaded file as a batch, at batch prices, on channels of OpenAI and Azure',
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
    answer: { schema: openaiBatch },
  },
  {
    method: 'GET',
    path: '/v1/batches',
    tag: 'openai',
    name: 'batches',
    summary: { zh: '列出自己的批量任务', en: 'List your batches' },
    answer: { schema: page(openaiBatch) },
  },
  {
    method: 'GET',
    path: '/v1/batches/{id}',
    tag: 'openai',
    name: 'batch-read',
    parameters: [slot('id', batch)],
    summary: { zh: '查询批量任务', en: 'Read one of your batches' },
    answer: { schema: openaiBatch },
  },
  {
    method: 'POST',
    path: '/v1/batches/{id}/cancel',
    tag: 'openai',
    name: 'batch-cancel',
    parameters: [slot('id', batch)],
    summary: {
      zh: '取消批量任务，已完成的请求仍计费',
      en: 'Cancel a batch; what has ended by then is charged',
    },
    answer: { schema: openaiBatch },
  },
];

/** Batches of Anthropic. */
const ofAnthropic: readonly RelayCall[] = [
  {
    method: 'POST',
    path: '/v1/messages/batches',
    tag: 'anthropic',
    name: 'message-batch',
    summary: {
      zh: '批量执行 Messages 请求，按批量价格计费（仅 Anthropic 渠道）',
      en: 'Make calls as a batch, at batch prices, on channels of Anthropic',
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
    answer: { schema: claudeBatch },
  },
  {
    method: 'GET',
    path: '/v1/messages/batches',
    tag: 'anthropic',
    name: 'message-batches',
    summary: { zh: '列出自己的批量任务', en: 'List your batches' },
    answer: { schema: page(claudeBatch) },
  },
  {
    method: 'GET',
    path: '/v1/messages/batches/{id}',
    tag: 'anthropic',
    name: 'message-batch-read',
    parameters: [slot('id', messageBatch)],
    summary: { zh: '查询批量任务', en: 'Read one of your batches' },
    answer: { schema: claudeBatch },
  },
  {
    method: 'POST',
    path: '/v1/messages/batches/{id}/cancel',
    tag: 'anthropic',
    name: 'message-batch-cancel',
    parameters: [slot('id', messageBatch)],
    summary: {
      zh: '取消批量任务，已完成的请求仍计费',
      en: 'Cancel a batch; what has ended by then is charged',
    },
    answer: { schema: claudeBatch },
  },
  {
    method: 'GET',
    path: '/v1/messages/batches/{id}/results',
    tag: 'anthropic',
    name: 'message-batch-results',
    parameters: [slot('id', messageBatch)],
    summary: { zh: '读取批量任务的结果', en: 'Read the results of a batch, a line each' },
    answer: { schema: text, type: 'application/x-jsonl' },
  },
  {
    method: 'DELETE',
    path: '/v1/messages/batches/{id}',
    tag: 'anthropic',
    name: 'message-batch-delete',
    parameters: [slot('id', formerMessageBatch)],
    summary: { zh: '删除已结束的批量任务', en: 'Delete a batch that has ended' },
    answer: {
      schema: open({ id: text, type: { const: 'message_batch_deleted' } }, ['id', 'type']),
    },
  },
];

/** Batches of calls. */
export const batchCalls: readonly RelayCall[] = [...ofOpenai, ...ofAnthropic];
