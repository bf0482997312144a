import { untranslatable } from '@tollgate/contract/relay-errors';
import { cannotTranslate } from '../../conversation/index.ts';
import { oneAnswer, replaceBody, stopsIn, withoutSchema } from '../../provider-kit/index.ts';
import { type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import type { AdaptContext } from '../../types/index.ts';

const worded = ['temperature', 'top_p', 'stop', 'seed', 'tools'];

/** Hunyuan's own fields, which callers of chat may send beside their own. */
const own =
  `StreamModeration EnableEnhancement SearchInfo Citation EnableSpeedSearch EnableMultimedia EnableDeepSearch
  ForceSearchEnhancement EnableThinking`.split(/\s+/);

/** A chat in Hunyuan's words: OpenAI's in capitals, without a bound on the output. */
export function adaptHunyuan(body: JsonObject, { model, stream, drop }: AdaptContext): undefined {
  oneAnswer(body);
  withoutSchema(body);
  const stops = stopsIn(body);
  const wanted: JsonObject = {
    Model: model,
    Messages: objectsIn(body.messages).map(writeMessage),
    Stream: stream,
    Temperature: body.temperature ?? undefined,
    TopP: body.top_p ?? undefined,
    Seed: body.seed ?? undefined,
    Stop: stops.length > 0 ? stops : undefined,
    ...toolsOf(body),
  };
  for (const name of own) if (body[name] !== undefined) wanted[name] = body[name];
  replaceBody(body, wanted, [...worded, ...own], drop);
}

function writeMessage(message: JsonObject): JsonObject {
  const role = message.role === 'developer' ? 'system' : textOf(message.role);
  const calls = objectsIn(message.tool_calls).map(writeCall);
  const thoughts = textOf(message.reasoning_content);
  return {
    Role: role,
    ...contentOf(message.content),
    ...(role === 'tool' && { ToolCallId: textOf(message.tool_call_id) }),
    ...(calls.length > 0 && { ToolCalls: calls }),
    ...(thoughts !== '' && { ReasoningContent: thoughts }),
  };
}

/** Texts alone are one text; with pictures among them they are a list. */
function contentOf(content: Json | undefined): JsonObject {
  if (!Array.isArray(content)) return { Content: textOf(content) };
  const parts = objectsIn(content);
  if (parts.every(({ type }) => type === 'text')) {
    return { Content: parts.map(({ text }) => textOf(text)).join('\n') };
  }
  return { Contents: parts.map(writePart) };
}

function writePart(part: JsonObject): JsonObject {
  if (part.type === 'text') return { Type: 'text', Text: textOf(part.text) };
  const { image_url: image } = part;
  if (part.type !== 'image_url') throw cannotTranslate(textOf(part.type), 'openai-chat');
  return { Type: 'image_url', ImageUrl: { Url: textOf(image) || textOf(objectOf(image).url) } };
}

const writeCall = (call: JsonObject): JsonObject => {
  const { name, arguments: input } = objectOf(call.function);
  return {
    Id: textOf(call.id),
    Type: 'function',
    Function: { Name: textOf(name), Arguments: textOf(input) },
  };
};

function toolsOf({ tools, tool_choice: choice }: JsonObject): JsonObject {
  const written = objectsIn(tools).map((tool) => {
    if (tool.type !== 'function') throw cannotTranslate(textOf(tool.type), 'openai-chat');
    const { name, description, parameters } = objectOf(tool.function);
    return {
      Type: 'function',
      Function: {
        Name: textOf(name),
        ...(textOf(description) !== '' && { Description: textOf(description) }),
        // Its schema is told as text.
        Parameters: JSON.stringify(parameters ?? { type: 'object', properties: {} }),
      },
    };
  });
  if (written.length === 0) return {};
  if (choice === 'required') throw cannotTranslate(untranslatable.forced_tool, 'openai-chat');
  const named = textOf(objectOf(objectOf(choice).function).name);
  if (named === '') return { Tools: written, ...(choice === 'none' && { ToolChoice: 'none' }) };
  const custom = written.find((tool) => tool.Function.Name === named);
  return { Tools: written, ToolChoice: 'custom', ...(custom && { CustomTool: custom }) };
}
