import type { HostedCall } from '../../../types/index.ts';
import { hostedId, toolInput } from '../../../conversation/index.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { foreignMark } from './parts-of-others.ts';

/** An MCP call in a conversation or an answer: the request and its result. */
function mcpBlocks({
  id,
  name,
  server,
  input,
  output,
  isError,
}: Extract<HostedCall, { kind: 'mcp' }>): JsonObject[] {
  const ownId = hostedId(id, 'mcptoolu_');
  return [
    { type: 'mcp_tool_use', id: ownId, name, server_name: server, input: toolInput(input) },
    {
      type: 'mcp_tool_result',
      tool_use_id: ownId,
      is_error: isError,
      content: output === '' ? [] : [{ type: 'text', text: output }],
    },
  ];
}

/**
 * Another vendor's run of a hosted tool, in an answer. The pages of a search have a mark in place of Anthropic's
 * signature, so that later requests can identify them. A server's list of tools is omitted.
 */
export function answeredBlocks(call: HostedCall): JsonObject[] {
  if (call.kind === 'mcp') return mcpBlocks(call);
  if (call.kind !== 'web-search') return [];
  const id = hostedId(call.id, 'srvtoolu_');
  const pages = call.pages.map(({ url, title }) => ({
    type: 'web_search_result',
    url,
    title: title ?? url,
    encrypted_content: foreignMark,
    page_age: null,
  }));
  const failure = { type: 'web_search_tool_result_error', error_code: 'unavailable' };
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query: call.query } },
    { type: 'web_search_tool_result', tool_use_id: id, content: call.isError ? failure : pages },
  ];
}

/** The record of another vendor's tools in a conversation; undefined if Anthropic would require its own signature. */
export function conversationBlocks(call: HostedCall): JsonObject[] | undefined {
  if (call.kind === 'mcp') return mcpBlocks(call);
  if (call.kind !== 'mcp-tools') return undefined;
  return [{ type: 'mcp_tool_listing', mcp_server_name: call.server, tools: call.tools }];
}
