import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../../lib/json.ts';

/** The offered tools after all changes in the conversation. */
interface OfferedTools {
  tools: Json[];
  servers: JsonObject[];
}

const nameOf = ({ name, mcp_server_name: server }: JsonObject): string => textOf(name) || textOf(server);

/**
 * The tools after all changes by system messages within the conversation
 * (platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages): other protocols have only one list of
 * tools.
 */
export function offeredTools({ tools, mcp_servers: servers, messages }: JsonObject): OfferedTools {
  let offered: Json[] = Array.isArray(tools) ? tools : [];
  const removed = new Set<string>();
  for (const { type, tool } of changesIn(messages)) {
    const { definition, ...reference } = objectOf(tool);
    const name = nameOf(isObject(definition) ? definition : reference);
    if (type === 'tool_removal') removed.add(name);
    else removed.delete(name);
    if (type !== 'tool_addition' || !isObject(definition)) continue;
    offered = [...offered.filter((each) => !isObject(each) || nameOf(each) !== name), definition];
  }
  const isOffered = (tool: JsonObject): boolean => !removed.has(nameOf(tool));
  return {
    tools: offered.filter((tool) => !isObject(tool) || isOffered(tool)),
    servers: objectsIn(servers).filter(isOffered),
  };
}

export const isToolChange = ({ type }: JsonObject): boolean =>
  type === 'tool_addition' || type === 'tool_removal';

const changesIn = (messages: Json | undefined): JsonObject[] =>
  objectsIn(messages)
    .filter(({ role }) => role === 'system')
    .flatMap(({ content }) => objectsIn(content).filter(isToolChange));
