import * as contract from '@tollgate/contract';
import { consoleApis, errors, type Route } from '@tollgate/contract';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { DocumentCheck } from '../../testing/reference/check-json.ts';
import { writeDocument } from './document.ts';
import type { Answer, MediaType, Operation } from './shape/types.ts';

const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value;
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const listed: Route[] = consoleApis.flatMap(({ calls }) => Object.values(calls));
const document = writeDocument('en', 'test');
const components = document.components as {
  examples: Record<string, { value: unknown }>;
  responses: Record<string, Answer>;
};
const paths = document.paths as Record<string, Record<string, Operation>>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Every example of a body in an operation, with the schema that it must match. */
function* examplesOf({ requestBody, responses }: Operation): Generator<[string, MediaType, unknown]> {
  const bodies: [string, Answer][] = Object.entries(responses).map(([status, answer]) => [
    status,
    '$ref' in answer ? components.responses[answer.$ref.split('/').at(-1)!]! : answer,
  ]);
  if (requestBody) bodies.push(['request', { description: '', content: requestBody.content }]);
  for (const [where, { content = {} }] of bodies) {
    for (const media of Object.values(content)) {
      for (const [name, example] of Object.entries(media.examples ?? {})) {
        const { value } = '$ref' in example ? components.examples[example.$ref.split('/').at(-1)!]! : example;
        yield [`${where} ${name}`, media, value];
      }
    }
  }
}

describe('the API reference', () => {
  const languages = [
    ['en', []],
    ['zh', ['deep']],
  ] as const;
  for (const [language, tags] of languages)
    it(`is OpenAPI 3.1 by an independent validator (${language})`, { tags: [...tags] }, async () => {
      const validator = new Validator();
      // Parsed again, as readers receive it: a value that JSON cannot represent would be missing.
      const read = JSON.stringify(writeDocument(language, 'test'));
      expect(await validator.validate(JSON.parse(read) as Record<string, unknown>)).toEqual({ valid: true });
      expect(validator.version).toBe('3.1');
    });

  it('has every call that the contract declares', () => {
    const declared = Object.values<unknown>(contract)
      .filter((value) => typeof value === 'object' && value !== null)
      .flatMap((value) => Object.values(value as object).filter(isRoute));
    expect(listed.map(nameOf).toSorted()).toEqual(declared.map(nameOf).toSorted());
    const missing = listed.filter(
      ({ method, path }) => !paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()],
    );
    expect(missing).toEqual([]);
  });

  it('describes each call in both languages, with a summary of its own', () => {
    for (const language of ['zh', 'en'] as const) {
      const summaries = listed.map(({ summary }) => summary[language].trim());
      expect(summaries.filter((summary) => summary.length < 3)).toEqual([]);
      expect(new Set(summaries).size).toBe(summaries.length);
    }
    expect(listed.filter(({ summary }) => !/\p{Script=Han}/u.test(summary.zh))).toEqual([]);
  });

  it('names each operation once, and only existing tags and refusals', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = (document.tags as { name: string }[]).map(({ name }) => name);
    expect(
      operations.flatMap(({ operation }) => operation.tags).filter((tag) => !tags.includes(tag)),
    ).toEqual([]);
    const codes = operations.flatMap(({ operation }) => operation['x-refusals'] ?? []);
    expect(codes.filter((code) => !Object.hasOwn(errors, code))).toEqual([]);
  });

  it('has an example that each call accepts', () => {
    const refused = listed.filter(({ input, example }) => !input.safeParse(example ?? {}).success);
    expect(refused.map(nameOf)).toEqual([]);
  });

  it('has no example that breaks its own schema', () => {
    const check = new DocumentCheck(document as never);
    const faults: string[] = [];
    for (const { path, method, operation } of operations) {
      for (const [name, media, value] of examplesOf(operation)) {
        const fault = check.faultOf(media.schema, value);
        if (fault !== '') faults.push(`${method} ${path} ${name}: ${fault}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('shows an answer of each call that answers JSON', () => {
    const without = operations.filter(({ operation: { responses } }) =>
      Object.entries(responses).some(
        ([status, answer]) =>
          status === '200' &&
          'content' in answer &&
          answer.content?.['application/json'] &&
          !answer.content['application/json'].examples?.example,
      ),
    );
    expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});
