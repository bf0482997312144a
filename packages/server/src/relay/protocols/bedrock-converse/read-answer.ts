import type { Emit } from '../../types/index.ts';
import { isObject, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { ConverseReader } from './read.ts';

/**
 * Reads a whole answer of Converse as neutral events; emits nothing for any other object.
 */
export function readConverseAnswer(body: JsonObject, emit: Emit): void {
  const { content } = objectOf(objectOf(body.output).message);
  if (!Array.isArray(content)) return;
  const reader = new ConverseReader();
  for (const [contentBlockIndex, block] of objectsIn(content).entries()) {
    const { toolUse, image } = block;
    const start = { ...(isObject(toolUse) && { toolUse }), ...(isObject(image) && { image }) };
    if (isObject(toolUse) || isObject(image)) {
      reader.readEvent('contentBlockStart', { contentBlockIndex, start }, emit);
    }
    for (const delta of deltasOf(block)) {
      reader.readEvent('contentBlockDelta', { contentBlockIndex, delta }, emit);
    }
    reader.readEvent('contentBlockStop', { contentBlockIndex }, emit);
  }
  reader.readEvent('messageStop', body, emit);
  reader.readEvent('metadata', body, emit);
}

function deltasOf({
  text,
  toolUse,
  reasoningContent,
  citationsContent,
  image,
}: JsonObject): readonly JsonObject[] {
  if (isObject(toolUse)) return [{ toolUse: { input: JSON.stringify(toolUse.input ?? {}) } }];
  if (isObject(reasoningContent)) {
    return [{ reasoningContent: { ...objectOf(reasoningContent.reasoningText), ...reasoningContent } }];
  }
  if (isObject(image)) return [{ image }];
  if (!isObject(citationsContent)) return [{ text: textOf(text) }];
  const words = objectsIn(citationsContent.content).map((each) => ({ text: textOf(each.text) }));
  return [...words, ...objectsIn(citationsContent.citations).map((citation) => ({ citation }))];
}
