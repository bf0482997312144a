import type { ChatRequest, Tool, RequestContext } from '../../types/index.ts';
import { cannotTranslate, chosenHostedTool, writeHostedTool } from '../../conversation/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { untranslatable } from '@tollgate/contract/relay-errors';
import { cachePoint } from './write-part.ts';

const own = 'bedrock-converse';

/** Converse cannot forbid tools, and requires descriptions of those in earlier turns: the ban is written in words. */
export const noToolWords = 'Do not call any tool now: answer in words.';

/** Tools in the form of Converse. */
export interface WrittenTools {
  toolConfig: JsonObject | undefined;
  /** True if the model needs an instruction to call no tool. */
  isForbidden: boolean;
}

/** The tools and the choice among them. */
export function writeTools(request: ChatRequest, context: RequestContext): WrittenTools {
  const { toolChoice, parallelToolCalls } = request;
  if (parallelToolCalls === false && request.tools.length > 0) context.drop('parallelToolCalls');
  if (chosenHostedTool(request)) throw cannotTranslate(untranslatable.forced_tool, own);
  const called = namesCalled(request);
  const tools = request.tools.flatMap((tool) => writeTool(tool, context));
  if (toolChoice?.type === 'none' || tools.length === 0) {
    const described = tools.length > 0 ? tools : [...called].map((name) => toolSpec(name, {}, undefined));
    const isForbidden = called.size > 0;
    return { toolConfig: isForbidden ? { tools: described } : undefined, isForbidden };
  }
  const choice = writeChoice(toolChoice);
  return { toolConfig: { tools, ...(choice && { toolChoice: choice }) }, isForbidden: false };
}

const namesCalled = ({ messages }: ChatRequest): ReadonlySet<string> =>
  new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-call' ? [part.name] : []))),
  );

function writeTool(tool: Tool, context: RequestContext): JsonObject[] {
  if (tool.type === 'vendor') {
    const fields = writeHostedTool(tool, own, context);
    return fields ? [fields] : [];
  }
  if (tool.strict === true) context.drop('strict');
  // Nova refuses cache points among the tools.
  if (cachePoint(tool.extra, context)) context.drop('cache_control');
  return [toolSpec(tool.name, tool.schema, tool.description)];
}

const toolSpec = (name: string, schema: JsonObject, description: string | undefined): JsonObject => ({
  toolSpec: {
    name,
    ...(description !== undefined && description !== '' && { description }),
    // The vendor requires an object type, which some callers omit.
    inputSchema: { json: { type: 'object', ...schema } },
  },
});

function writeChoice(choice: ChatRequest['toolChoice']): JsonObject | undefined {
  if (choice?.type === 'tool') return { tool: { name: choice.name } };
  if (choice?.type === 'required') return { any: {} };
  return choice ? { auto: {} } : undefined;
}
