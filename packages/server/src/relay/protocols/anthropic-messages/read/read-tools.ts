import type { Tool, ToolChoice } from '../../../types/index.ts';
import { isObject, type JsonObject, textOf } from '../../../../lib/json.ts';
import { hostedTool, serversOfMessages, termsOfMessages } from '../../../conversation/index.ts';
import { no } from '../inbound.ts';
import { extraOf } from './read-message.ts';
import { offeredTools } from './tool-changes.ts';

const own = 'anthropic-messages';

export function readTools(body: JsonObject): Tool[] {
  const { tools: list, servers } = offeredTools(body);
  const own = list.flatMap((tool) => (isObject(tool) ? readTool(tool) : no('tool_not_object')));
  return [...own, ...serversOfMessages(servers, list).map(readServer)];
}

const readServer = (server: ReturnType<typeof serversOfMessages>[number]): Tool => {
  const type = textOf(server.extra.fields.type);
  return { ...hostedTool(own, type, server.extra.fields), ...server };
};

function readTool(tool: JsonObject): Tool[] {
  const { type } = tool;
  if (typeof type !== 'string' || type === 'custom') return [readFunction(tool)];
  // Read with its server.
  if (type === 'mcp_toolset') return [];
  const search = type.startsWith('web_search') ? termsOfMessages(tool) : undefined;
  return [hostedTool(own, type, tool, { name: textOf(tool.name) || type, ...(search && { search }) })];
}

function readFunction(tool: JsonObject): Tool {
  const { name, description, input_schema: schema, strict } = tool;
  if (typeof name !== 'string' || name === '') return no('tool_without_name');
  return {
    type: 'function',
    name,
    ...(typeof description === 'string' && { description }),
    schema: isObject(schema) ? schema : { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' && { strict }),
    ...extraOf(tool, 'name', 'description', 'input_schema', 'strict'),
  };
}

export function readToolChoice(choice: JsonObject): ToolChoice {
  switch (choice.type) {
    case 'auto':
      return { type: 'auto' };
    case 'any':
      return { type: 'required' };
    case 'none':
      return { type: 'none' };
    case 'tool':
      return typeof choice.name === 'string'
        ? { type: 'tool', name: choice.name }
        : no('tool_choice_without_name');
    default:
      return no('tool_choice_unknown');
  }
}
