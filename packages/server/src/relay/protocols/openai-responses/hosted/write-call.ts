import type { HostedCall } from '../../../types/index.ts';
import { hostedId } from '../../../conversation/index.ts';
import type { JsonObject } from '../../../../lib/json.ts';

type Report = [type: string, fields: JsonObject];

/** The run of another vendor's tool, as OpenAI's item. */
export function callItem(call: HostedCall): JsonObject & { id: string } {
  switch (call.kind) {
    case 'mcp':
      return {
        id: hostedId(call.id, 'mcp_'),
        type: 'mcp_call',
        status: call.isError ? 'failed' : 'completed',
        approval_request_id: null,
        server_label: call.server,
        name: call.name,
        arguments: call.input === '' ? '{}' : call.input,
        output: call.isError ? null : call.output,
        error: call.isError ? call.output || 'The tool failed.' : null,
      };
    case 'mcp-tools':
      return {
        id: `mcpl_${call.server}`,
        type: 'mcp_list_tools',
        server_label: call.server,
        tools: call.tools.map((tool) => ({ ...tool, annotations: null })),
        error: null,
      };
    case 'web-search':
      return {
        id: hostedId(call.id, 'ws_'),
        type: 'web_search_call',
        status: call.isError ? 'failed' : 'completed',
        action: {
          type: 'search',
          query: call.query,
          queries: [call.query],
          ...(call.pages.length > 0 && { sources: call.pages.map(({ url }) => ({ type: 'url', url })) }),
        },
      };
  }
}

/** The item in an answer, with found pages if requested (`include`). */
export function answeredItem(call: HostedCall, { include }: JsonObject): ReturnType<typeof callItem> {
  const isAsked = Array.isArray(include) && include.includes('web_search_call.action.sources');
  return callItem(call.kind === 'web-search' && !isAsked ? { ...call, pages: [] } : call);
}

/** The events between the beginning of an item and its end, and the item's form at its beginning. */
export function progressOf(
  item: ReturnType<typeof callItem>,
  index: number,
): { begun: JsonObject; progress: Report[] } {
  const place = { item_id: item.id, output_index: index };
  const isFailed = item.status === 'failed';
  switch (item.type) {
    case 'mcp_call':
      return {
        begun: { ...item, status: 'in_progress', arguments: '', output: null, error: null },
        progress: [
          ['response.mcp_call.in_progress', place],
          ['response.mcp_call_arguments.delta', { ...place, delta: item.arguments }],
          ['response.mcp_call_arguments.done', { ...place, arguments: item.arguments }],
          [`response.mcp_call.${isFailed ? 'failed' : 'completed'}`, place],
        ],
      };
    case 'mcp_list_tools':
      return {
        begun: { ...item, tools: [] },
        progress: [
          ['response.mcp_list_tools.in_progress', place],
          ['response.mcp_list_tools.completed', place],
        ],
      };
    default:
      return {
        begun: { id: item.id, type: item.type, status: 'in_progress' },
        progress: ['in_progress', 'searching', 'completed'].map((step) => [
          `response.web_search_call.${step}`,
          place,
        ]),
      };
  }
}
