import type { MemberPath } from '../../../lib/exact-numbers.ts';
import { type Json, type JsonObject, objectsIn } from '../../../lib/json.ts';

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** A name in camel case. */
export const camelName = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A field by its name in camel case. Google also reads snake case, and its clients sometimes write it. */
export const field = (object: JsonObject, name: string): Json | undefined =>
  object[name] ?? object[snake(name)];

/** The object with names in camel case and unchanged values. */
export const camelCased = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [camelName(name), value]));

/** The tools that are not functions, by their names. */
export const hostedTypes = ({ tools }: JsonObject): string[] =>
  objectsIn(tools).flatMap((tool) =>
    Object.keys(camelCased(tool)).filter((name) => name !== 'functionDeclarations'),
  );

/** Arguments and results of functions in requests, and arguments in answers. */
export const toolObjects: readonly MemberPath[] = [
  ['contents', '*', 'parts', '*', 'functionCall', 'args'],
  ['contents', '*', 'parts', '*', 'function_call', 'args'],
  ['contents', '*', 'parts', '*', 'functionResponse', 'response'],
  ['contents', '*', 'parts', '*', 'function_response', 'response'],
  ['candidates', '*', 'content', 'parts', '*', 'functionCall', 'args'],
];

/** Schemas of functions and of answers. */
export const schemas: readonly MemberPath[] = [
  ...['functionDeclarations', 'function_declarations'].flatMap((list) =>
    ['parameters', 'parametersJsonSchema', 'parameters_json_schema'].map((name) => [
      'tools',
      '*',
      list,
      '*',
      name,
    ]),
  ),
  ...['generationConfig', 'generation_config'].flatMap((config) =>
    ['responseSchema', 'response_schema', 'responseJsonSchema', 'response_json_schema'].map((name) => [
      config,
      name,
    ]),
  ),
];
