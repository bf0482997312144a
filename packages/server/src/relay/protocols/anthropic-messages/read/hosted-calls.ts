import type { HostedCall } from '../../../types/index.ts';
import { type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../../lib/json.ts';

/**
 * Follows runs of hosted tools: the call is in one block and the result in a later one, so both are emitted with the later
 * one.
 */
export class HostedCalls {
  private readonly asked = new Map<string, JsonObject>();

  /** The run in a whole block, as far as other protocols can express it; a block with only the call is remembered. */
  read(block: JsonObject): HostedCall | undefined {
    switch (block.type) {
      case 'server_tool_use':
      case 'mcp_tool_use':
        this.asked.set(textOf(block.id), block);
        return undefined;
      case 'mcp_tool_result':
        return readMcpCall(this.askedIn(block), block);
      case 'web_search_tool_result':
        return readSearch(this.askedIn(block), block);
      case 'mcp_tool_listing':
        return { kind: 'mcp-tools', server: textOf(block.mcp_server_name), tools: objectsIn(block.tools) };
      default:
        return undefined;
    }
  }

  private askedIn({ tool_use_id: id }: JsonObject): JsonObject | undefined {
    return this.asked.get(textOf(id));
  }
}

/** Runs of hosted tools in a message's blocks, each with its block. */
export function callsIn(blocks: readonly JsonObject[]): Map<JsonObject, HostedCall | 'follows'> {
  const calls = new HostedCalls();
  const reported = new Map<JsonObject, HostedCall | 'follows'>();
  const byId = new Map(blocks.map((block) => [block.id, block]));
  for (const block of blocks) {
    const call = calls.read(block);
    if (!call) continue;
    reported.set(block, call);
    const asked = block.tool_use_id === undefined ? undefined : byId.get(block.tool_use_id);
    if (asked) reported.set(asked, 'follows');
  }
  return reported;
}

function readMcpCall(asked: JsonObject | undefined, block: JsonObject): HostedCall | undefined {
  if (!asked) return undefined;
  return {
    kind: 'mcp',
    id: textOf(asked.id),
    server: textOf(asked.server_name),
    name: textOf(asked.name),
    input: JSON.stringify(asked.input ?? {}),
    output: textIn(block.content),
    isError: block.is_error === true,
  };
}

const textIn = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : objectsIn(content)
        .map((part) => textOf(part.text))
        .join('\n');

function readSearch(asked: JsonObject | undefined, { content }: JsonObject): HostedCall | undefined {
  if (!asked) return undefined;
  return {
    kind: 'web-search',
    id: textOf(asked.id),
    query: textOf(objectOf(asked.input).query),
    pages: objectsIn(content).map(({ url, title }) => ({ url: textOf(url), title: textOf(title) })),
    isError: !Array.isArray(content),
  };
}
