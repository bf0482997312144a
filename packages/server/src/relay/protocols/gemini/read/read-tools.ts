import type { ChatRequest, Tool, ToolChoice } from '../../../types/index.ts';
import { isObject, type JsonObject, objectOf, objectsIn, textOf } from '../../../../lib/json.ts';
import { hostedTool } from '../../../conversation/index.ts';
import { camelCased, field } from '../fields.ts';
import { readSchema } from '../schema.ts';

const own = 'gemini';

/** Reads the tools and the choice of tools. */
export function readTools(body: JsonObject): Pick<ChatRequest, 'tools' | 'toolChoice'> {
  const tools = objectsIn(body.tools).flatMap(readTool);
  const config = objectOf(field(objectOf(field(body, 'toolConfig')), 'functionCallingConfig'));
  const allowed = field(config, 'allowedFunctionNames');
  const names = Array.isArray(allowed) && allowed.length > 0 ? new Set(allowed) : undefined;
  return {
    // Functions that may not be called in this turn are omitted.
    tools: names ? tools.filter((tool) => tool.type === 'vendor' || names.has(tool.name)) : tools,
    toolChoice: readChoice(textOf(config.mode).toUpperCase(), names),
  };
}

function readChoice(mode: string, names: ReadonlySet<unknown> | undefined): ToolChoice | undefined {
  if (mode === 'NONE') return { type: 'none' };
  if (mode === 'AUTO' || mode === 'VALIDATED') return { type: 'auto' };
  if (mode !== 'ANY') return undefined;
  const [only] = names ?? [];
  return names?.size === 1 && typeof only === 'string' ? { type: 'tool', name: only } : { type: 'required' };
}

function readTool(tool: JsonObject): Tool[] {
  return Object.entries(camelCased(tool)).flatMap(([name, value]): Tool[] => {
    if (name === 'functionDeclarations') return objectsIn(value).map(readFunction);
    return [hostedTool(own, name, { [name]: value ?? {} })];
  });
}

function readFunction(declaration: JsonObject): Tool {
  const { name, description } = declaration;
  const json = field(declaration, 'parametersJsonSchema');
  const schema = isObject(json) ? json : readSchema(objectOf(declaration.parameters));
  return {
    type: 'function',
    name: textOf(name),
    ...(typeof description === 'string' && description !== '' && { description }),
    schema: Object.keys(schema).length > 0 ? schema : { type: 'object', properties: {} },
  };
}
