import type { Words } from '@tollgate/contract';
import type { OpenaiProtocol } from '../families/openai/index.ts';

/**
 * A vendor with an exact copy of OpenAI's API, described by data. The console shows it like any other channel type.
 */
export interface Preset {
  /** Appended at the end of the table and never given again (see relay/type-numbers.ts). */
  type: number;
  /** Lower-case letters, digits and hyphens. */
  id: string;
  /** A plain text if it is a brand in both languages. */
  name: Words | string;
  baseUrl: string;
  /** The format of its keys. */
  key?: Words | string;
  /** Documented calls; the path if it is not OpenAI's. */
  offers: Partial<Record<OpenaiProtocol, string | true>>;
  /** The path of its list of models, if it has one; the answer is OpenAI's list or a bare one. */
  models: string | false;
  /** Known model names, if there is no list to fetch. */
  known?: readonly string[];
  /** It refuses reasoning of earlier turns, from every model (`Endpoint.readsReasoning`). */
  refusesThoughts?: true;
  /** Fields that it calls otherwise. */
  renames?: Partial<Record<OpenaiProtocol, Readonly<Record<string, string>>>>;
  /** Default values of fields that the vendor refuses by name. */
  omits?: Partial<Record<OpenaiProtocol, Readonly<Record<string, string>>>>;
}
