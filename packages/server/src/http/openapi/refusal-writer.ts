import { type ErrorCode, errors, type Language } from '@tollgate/contract';
import type { Answer, Example, Reference } from './shape/types.ts';

/** Examples of refusals, by reference to the components. */
export const refusalExamples = (codes: readonly ErrorCode[]): Record<string, Reference> =>
  Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));

/** A refusal in its wire format. */
export const errorExample = (code: ErrorCode, language: Language): Example => ({
  summary: errors[code][language],
  value: { success: false, message: errors[code][language], data: null, code, request_id: 'request-id' },
});

/** Examples of refusals for calls without the envelope, see `BareAnswer`. */
export const messageExamples = (codes: readonly ErrorCode[], language: Language): Record<string, Example> =>
  Object.fromEntries(
    codes.map((code) => {
      const words = errors[code][language];
      return [code, { summary: words, value: { message: 'error', data: words, code } }];
    }),
  );

/** Many calls have the same refusals: each set of refusals is written once, as a component of the document. */
export class RefusalWriter {
  private readonly names = new Map<string, string>();
  readonly components: Record<string, Answer> = {};

  /** The answer with a status and any of the codes. */
  refer(status: number, codes: readonly ErrorCode[]): Reference {
    const key = `${status} ${codes.join(' ')}`;
    const name = this.names.get(key) ?? `Refused${status}_${this.names.size + 1}`;
    if (!this.names.has(key)) this.write(name, codes);
    this.names.set(key, name);
    return { $ref: `#/components/responses/${name}` };
  }

  private write(name: string, codes: readonly ErrorCode[]): void {
    this.components[name] = {
      description: codes.join(', '),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Refusal' },
          examples: refusalExamples(codes),
        },
      },
    };
  }
}
