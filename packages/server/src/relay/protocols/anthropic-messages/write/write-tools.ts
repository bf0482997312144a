import type { ChatRequest, Tool, RequestContext } from '../../../types/index.ts';
import {
  chosenHostedTool,
  objectSchema,
  ownFields,
  writeHostedTool,
  writeServer,
} from '../../../conversation/index.ts';
import { isObject, type JsonObject, textOf } from '../../../../lib/json.ts';

const own = 'anthropic-messages';

export const writeTools = (tools: readonly Tool[], context: RequestContext): JsonObject[] =>
  tools.flatMap((tool) => writeTool(tool, context));

/** The servers of offered tools, a list beside the tools. */
export const writeServers = (tools: readonly Tool[]): JsonObject[] =>
  tools.flatMap((tool) => {
    if (tool.type !== 'vendor' || tool.kind !== 'mcp') return [];
    const { server, extra } = tool;
    if (extra.protocol === own) return isObject(extra.fields.server) ? [extra.fields.server] : [];
    return server && server.tools?.length !== 0 ? [writeServer(server)] : [];
  });

function writeTool(tool: Tool, context: RequestContext): JsonObject[] {
  if (tool.type === 'vendor' && tool.kind === 'mcp' && tool.extra.protocol === own)
    return isObject(tool.extra.fields.toolset) ? [tool.extra.fields.toolset] : [];
  if (tool.type === 'vendor') {
    const fields = writeHostedTool(tool, own, context);
    return fields ? [fields] : [];
  }
  return [
    {
      name: tool.name,
      ...(tool.description !== undefined && { description: tool.description }),
      input_schema: objectSchema(tool.schema, context.drop),
      ...(tool.strict === true && { strict: true }),
      ...ownFields(tool.extra, own, context),
    },
  ];
}

/** The choice of a tool, including a ban on parallel calls. */
export function writeToolChoice(
  request: ChatRequest,
  hasTools: boolean,
  context: RequestContext,
): JsonObject | undefined {
  const { toolChoice, parallelToolCalls } = request;
  if (!hasTools) return undefined;
  if (toolChoice?.type === 'none') return { type: 'none' };
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  const hosted = chosenHostedTool(request);
  const written = hosted && writeHostedTool(hosted, own, { ...context, drop: () => undefined });
  if (toolChoice?.type === 'tool') {
    return { type: 'tool', name: written ? textOf(written.name) : toolChoice.name, ...single };
  }
  if (toolChoice?.type === 'required') return { type: 'any', ...single };
  if (toolChoice || parallelToolCalls === false) return { type: 'auto', ...single };
  return undefined;
}
