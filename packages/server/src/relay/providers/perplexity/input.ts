import { untranslatable } from '@tollgate/contract/relay-errors';
import { cannotTranslate } from '../../conversation/index.ts';
import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';

const own = 'openai-responses';

/** The conversation in Perplexity's format: messages, calls and results, without OpenAI's additional fields. */
export function writeInput(input: Json | undefined): Json {
  if (!Array.isArray(input)) return input ?? '';
  return input.flatMap((item) => (isObject(item) ? writeItem(item) : []));
}

function writeItem(item: JsonObject): JsonObject[] {
  const { type, role, call_id } = item;
  switch (type) {
    case undefined:
    case 'message':
      return [{ type: 'message', role: textOf(role), content: writeContent(item.content) }];
    case 'function_call':
      return [{ type, call_id: textOf(call_id), name: textOf(item.name), arguments: textOf(item.arguments) }];
    case 'function_call_output':
      return [{ type, call_id: textOf(call_id), output: requireText(item.output) }];
    case 'custom_tool_call':
    case 'custom_tool_call_output':
      throw cannotTranslate(type, own);
    // Reasoning and results of its own tools: it accepts neither, and has their content in the answer that followed.
    default:
      return [];
  }
}

/** A text, or the texts and pictures of a list. Throws RelayError for files and sound, which it does not accept. */
function writeContent(content: Json | undefined): Json {
  if (!Array.isArray(content)) return content ?? '';
  return objectsIn(content).map((part) => {
    const { type } = part;
    if (type === 'input_image') {
      if (typeof part.image_url !== 'string') throw cannotTranslate(untranslatable.foreign_file, own);
      return { type, image_url: part.image_url };
    }
    const text = part.text ?? part.refusal;
    if (typeof text !== 'string') throw cannotTranslate(textOf(type) || 'content', own);
    return { type: type === 'refusal' ? 'output_text' : textOf(type), text };
  });
}

/** The result of a function is one text there. */
function requireText(output: Json | undefined): string {
  if (!Array.isArray(output)) return textOf(output);
  return objectsIn(output)
    .map((part) => {
      if (typeof part.text !== 'string') throw cannotTranslate(textOf(part.type) || 'output', own);
      return part.text;
    })
    .join('\n\n');
}
