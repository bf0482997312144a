import type { JsonSchema } from '../shape/schemas.ts';
import { like, open, type RelayCall, text } from './call.ts';

const id: JsonSchema = { type: ['string', 'integer'] };

const message = open(
  {
    jsonrpc: { const: '2.0' },
    id,
    method: like(text, 'tools/list'),
    params: { type: 'object', description: 'Those of the Model Context Protocol' },
  },
  ['jsonrpc', 'method'],
);

const answer = open(
  {
    jsonrpc: { const: '2.0' },
    id: like(id, 1),
    result: like({ type: 'object' }, { tools: [] }),
  },
  ['jsonrpc', 'id'],
);

/** Neither a stream beside requests nor a session to end exists here; clients ask for both. */
const onlyPost = (method: 'GET' | 'DELETE', name: string, summary: RelayCall['summary']): RelayCall => ({
  method,
  path: '/mcp',
  tag: 'tools',
  name,
  summary,
  answer: { schema: { $ref: '#/components/schemas/JsonRpcError' }, status: 405 },
});

/** Messages of the Model Context Protocol. */
export const toolCalls: readonly RelayCall[] = [
  {
    method: 'POST',
    path: '/mcp',
    tag: 'tools',
    name: 'message',
    summary: { zh: '列出或调用工具', en: 'List or call tools' },
    request: { schema: message, example: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
    answer: { schema: answer },
  },
  onlyPost('GET', 'stream', {
    zh: '打开通知流（不提供）',
    en: 'Open a stream of notices, which is not offered',
  }),
  onlyPost('DELETE', 'end', { zh: '结束会话（无需）', en: 'End a session, of which nothing is kept' }),
];
