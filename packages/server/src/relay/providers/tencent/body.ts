import { untranslatable } from '@tollgate/contract/relay-errors';
import { cannotTranslate } from '../../conversation/index.ts';
import { oneAnswer, replaceBody, stopsIn, withoutSchema } from '../../provider-kit/index.ts';
import { type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import type { AdaptContext } from '../../types/index.ts';
import { writeMessages } from './messages.ts';

const worded = ['temperature', 'top_p', 'stop', 'seed', 'tools'];

/** Hunyuan's own fields, which callers of chat may send with their own. */
const own =
  `StreamModeration EnableEnhancement SearchInfo Citation EnableSpeedSearch EnableMultimedia EnableDeepSearch
  ForceSearchEnhancement EnableThinking`.split(/\s+/);

/** A chat in Hunyuan's format: OpenAI's fields in capitals, without an output bound. */
export function adaptHunyuan(body: JsonObject, { model, stream, drop }: AdaptContext): undefined {
  oneAnswer(body);
  withoutSchema(body);
  const stops = stopsIn(body);
  const wanted: JsonObject = {
    Model: model,
    Messages: writeMessages(body.messages),
    Stream: stream,
    Temperature: body.temperature ?? undefined,
    TopP: body.top_p ?? undefined,
    Seed: body.seed ?? undefined,
    Stop: stops.length > 0 ? stops : undefined,
    ...writeTools(body),
  };
  for (const name of own) if (body[name] !== undefined) wanted[name] = body[name];
  replaceBody(body, wanted, [...worded, ...own], drop);
}

function writeTools({ tools, tool_choice: choice }: JsonObject): JsonObject {
  const written = objectsIn(tools).map((tool) => {
    if (tool.type !== 'function') throw cannotTranslate(textOf(tool.type), 'openai-chat');
    const { name, description, parameters } = objectOf(tool.function);
    return {
      Type: 'function',
      Function: {
        Name: textOf(name),
        ...(textOf(description) !== '' && { Description: textOf(description) }),
        // Its schema is sent as text.
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
