import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import { filledList, need, newReading, noteTool, onlyKnown, type Reading, type ToldCall } from './reading.ts';

const known =
  'contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent labels';
const media = /^(image\/(png|jpeg|webp|heic|heif)|application\/pdf|text\/plain|audio\/\w+|video\/\w+)$/;
const name = /^[A-Za-z_][\w.:-]{0,63}$/;

/** Reads a request as Gemini's API does (ai.google.dev/api/generate-content, /api/caching#Content). */
export function readStrictGemini(body: JsonObject, model: string): Reading {
  const reading = newReading();
  onlyKnown(reading, body, known, 'body');
  for (const part of objectsIn(objectOf(body.systemInstruction).parts))
    reading.said.system.push(textOf(part.text));
  const contents = filledList(reading, body.contents, 'contents');
  need(reading, contents[0]?.role === 'user', 'the first turn is not the user’s');
  let open: ToldCall[] = [];
  for (const content of contents) {
    onlyKnown(reading, content, 'role parts', 'content');
    const parts = filledList(reading, content.parts, 'parts');
    const results = parts.filter((part) => part.functionResponse !== undefined);
    need(reading, results.length === open.length, `${results.length} responses to ${open.length} calls`);
    if (content.role === 'model') open = readAnswer(reading, parts, model);
    else {
      need(reading, content.role === 'user', `role ${textOf(content.role)}`);
      for (const part of parts) readUser(reading, part, open, model);
      open = [];
    }
  }
  need(reading, open.length === 0, 'calls without results at the end');
  for (const tool of objectsIn(body.tools)) {
    for (const declaration of objectsIn(tool.functionDeclarations)) {
      onlyKnown(
        reading,
        declaration,
        'name description parameters parametersJsonSchema response',
        'declaration',
      );
      noteTool(reading, declaration.name, name);
      const { parameters } = declaration;
      if (parameters === undefined) continue;
      need(
        reading,
        objectOf(parameters).type === 'object' || objectOf(parameters).type === 'OBJECT',
        'parameters: no object',
      );
      for (const fault of schemaFaults(parameters, textOf(declaration.name))) need(reading, false, fault);
    }
  }
  return reading;
}

function readAnswer(reading: Reading, parts: readonly JsonObject[], model: string): ToldCall[] {
  const calls: ToldCall[] = [];
  for (const part of parts) {
    const { functionCall, thoughtSignature } = part;
    need(reading, !/^(~|f[mn])/.test(textOf(thoughtSignature)), 'a foreign signature');
    if (!isObject(functionCall)) {
      const text = checkPart(reading, part);
      if (part.thought !== true) reading.said.assistant.push(text);
      continue;
    }
    onlyKnown(reading, functionCall, 'id name args', 'functionCall');
    need(reading, name.test(textOf(functionCall.name)), `call of ${textOf(functionCall.name)}`);
    need(reading, isObject(functionCall.args), 'args: no object');
    if (/gemini-3/.test(model) && calls.length === 0)
      need(reading, textOf(thoughtSignature) !== '', 'a call without the signature of its thoughts');
    const id = textOf(functionCall.id);
    calls.push({ id, name: textOf(functionCall.name), input: JSON.stringify(functionCall.args), words: [] });
  }
  reading.calls.push(...calls);
  return calls;
}

function readUser(reading: Reading, part: JsonObject, calls: readonly ToldCall[], model: string): void {
  const result = part.functionResponse;
  if (!isObject(result)) {
    reading.said.user.push(checkPart(reading, part));
    return;
  }
  onlyKnown(reading, result, 'id name response parts willContinue scheduling', 'functionResponse');
  const isOf = (call: ToldCall): boolean =>
    call.name === result.name &&
    (result.id === undefined || call.id === result.id) &&
    call.words.length === 0;
  const call = calls.find(isOf);
  need(reading, call !== undefined, `response of ${textOf(result.name)} without a call before it`);
  need(reading, isObject(result.response), 'response: no object');
  call?.words.push(JSON.stringify(result.response));
  if (result.parts === undefined) return;
  need(reading, /gemini-3/.test(model), 'functionResponse.parts before Gemini 3');
  for (const inner of filledList(reading, result.parts, 'functionResponse.parts')) {
    const { mimeType, data } = objectOf(inner.inlineData);
    need(
      reading,
      /^(image\/(png|jpeg|webp)|application\/pdf|text\/plain)$/.test(textOf(mimeType)),
      'file in a response',
    );
    reading.files.push(textOf(data));
  }
}

/** Checks a part with text or a file; returns the text. */
function checkPart(reading: Reading, part: JsonObject): string {
  onlyKnown(reading, part, 'text inlineData fileData thought thoughtSignature', 'part');
  const kinds = ['text', 'inlineData', 'fileData'].filter((kind) => part[kind] !== undefined);
  need(reading, kinds.length === 1, `part of ${kinds.join(' and ') || 'nothing'}`);
  if (part.text !== undefined) {
    need(reading, part.text !== '' || part.thoughtSignature !== undefined, 'text: empty');
    return textOf(part.text);
  }
  const { mimeType, data, fileUri } = { ...objectOf(part.inlineData), ...objectOf(part.fileData) };
  need(reading, media.test(textOf(mimeType)), `mimeType ${textOf(mimeType)}`);
  reading.files.push(textOf(data) || textOf(fileUri));
  return '';
}

const fields = new Set(
  (
    'type format title description nullable enum maxItems minItems properties required minProperties maxProperties ' +
    'minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum'
  ).split(' '),
);
const types = new Set('string number integer boolean array object null'.split(' '));
const formats: Readonly<Record<string, string>> = {
  string: 'date-time enum',
  number: 'float double',
  integer: 'int32 int64',
};

/** Parts of a schema that Gemini's API rejects. */
function schemaFaults(schema: Json | undefined, where: string): string[] {
  if (!isObject(schema)) return [`${where}: no object`];
  const faults = Object.keys(schema)
    .filter((key) => !fields.has(key))
    .map((key) => `${where}: ${key}`);
  const inner = [
    ...Object.entries(objectOf(schema.properties)).flatMap(([key, each]) =>
      schemaFaults(each, `${where}.${key}`),
    ),
    ...(schema.items === undefined ? [] : schemaFaults(schema.items, `${where}[]`)),
    ...(Array.isArray(schema.anyOf) ? schema.anyOf.flatMap((each) => schemaFaults(each, `${where}|`)) : []),
  ];
  const all = [...faults, ...inner];
  if (schema.anyOf !== undefined) {
    if (!Array.isArray(schema.anyOf) || schema.anyOf.length === 0) all.push(`${where}: anyOf of nothing`);
    if (Object.keys(schema).length > 1) all.push(`${where}: fields beside anyOf`);
    return all;
  }
  const type = textOf(schema.type).toLowerCase();
  if (!types.has(type)) all.push(`${where}: type ${JSON.stringify(schema.type)}`);
  if (type === 'array' && !isObject(schema.items)) all.push(`${where}: a list of what?`);
  const listed = schema.enum;
  if (
    listed !== undefined &&
    (type !== 'string' || !Array.isArray(listed) || !listed.every((each) => textOf(each) !== ''))
  )
    all.push(`${where}: enum ${JSON.stringify(listed)}`);
  if (schema.format !== undefined && !formats[type]?.split(' ').includes(textOf(schema.format)))
    all.push(`${where}: format ${JSON.stringify(schema.format)}`);
  for (const required of Array.isArray(schema.required) ? schema.required : [])
    if (!Object.hasOwn(objectOf(schema.properties), textOf(required)))
      all.push(`${where}: required ${textOf(required)}`);
  return all;
}
