import { readNumber } from '../numbers.ts';
import {
  completionRatioOf,
  dollarsOf,
  outputDollarsOf,
  ratioOf,
  type ModelCost,
  type PriceRow,
} from './model-prices.ts';

/** What a person types about a cost. Only the fields of the chosen mode and entry count. */
export interface CostForm {
  name: string;
  mode: 'token' | 'request';
  entry: 'ratio' | 'dollars';
  price: string;
  ratio: string;
  completionRatio: string;
  inputDollars: string;
  outputDollars: string;
}

export const emptyCost: CostForm = {
  name: '',
  mode: 'token',
  entry: 'dollars',
  price: '',
  ratio: '',
  completionRatio: '',
  inputDollars: '',
  outputDollars: '',
};

const shown = (value: number | null) => (value === null ? '' : String(value));

/** A form filled with what a model costs now. */
export const formOfRow = (row: PriceRow): CostForm =>
  inDollars({
    ...emptyCost,
    name: row.name,
    mode: row.price === null ? 'token' : 'request',
    price: shown(row.price),
    ratio: shown(row.ratio),
    completionRatio: shown(row.completionRatio),
  });

/** The form with the dollars that its ratios come to. */
function inDollars(form: CostForm): CostForm {
  const ratio = readNumber(form.ratio);
  const completion = readNumber(form.completionRatio);
  return {
    ...form,
    entry: 'dollars',
    inputDollars: shown(ratio === null ? null : dollarsOf(ratio)),
    outputDollars: shown(ratio === null || completion === null ? null : outputDollarsOf(ratio, completion)),
  };
}

/** Changes how tokens are priced, and recomputes the fields that then count from those that did. */
export function switchEntry(form: CostForm, entry: CostForm['entry']): CostForm {
  if (entry === form.entry) return form;
  if (entry === 'dollars') return inDollars(form);
  // Unchanged dollars become exactly the ratios they came from; a division could round.
  const before = inDollars(form);
  if (before.inputDollars === form.inputDollars && before.outputDollars === form.outputDollars)
    return { ...form, entry };
  const input = readNumber(form.inputDollars);
  const output = readNumber(form.outputDollars);
  return {
    ...form,
    entry,
    ratio: shown(input === null ? null : ratioOf(input)),
    completionRatio: shown(input === null || output === null ? null : completionRatioOf(input, output)),
  };
}

/** The cost of a form; null while it is incomplete. */
export function costOf(form: CostForm): ModelCost | null {
  if (form.mode === 'request') {
    const price = readNumber(form.price);
    return price === null ? null : { mode: 'request', price };
  }
  const { ratio: ratioText, completionRatio: completionText } = switchEntry(form, 'ratio');
  const ratio = readNumber(ratioText);
  const completion = completionText.trim() === '' ? null : readNumber(completionText);
  if (ratio === null || (completionText.trim() !== '' && completion === null)) return null;
  return { mode: 'token', ratio, completionRatio: completion };
}

/** What may be wrong with a field; `text` has the messages. */
export type CostProblem = 'enterNumber' | 'enterFill' | 'enterName' | 'exists' | 'priceZero';

interface Naming {
  /** True when the form asks for the model's name, which none of the taken ones may be. */
  asked: boolean;
  taken: readonly string[];
  /** True when one value is filled in for several models. */
  filling: boolean;
}

/** What is wrong with a form, by field; nothing when it can be applied. */
export function costProblems(form: CostForm, naming: Naming): Partial<Record<keyof CostForm, CostProblem>> {
  const problems: Partial<Record<keyof CostForm, CostProblem>> = {};
  const name = form.name.trim();
  if (naming.asked && name === '') problems.name = 'enterName';
  else if (naming.asked && naming.taken.includes(name)) problems.name = 'exists';
  const [first, second] = fieldsOf(form);
  for (const field of [first, second]) {
    if (field === undefined) continue;
    const typed = form[field].trim();
    if (typed === '' && field === first) problems[field] = naming.filling ? 'enterFill' : 'enterNumber';
    if (typed !== '' && readNumber(typed) === null) problems[field] = 'enterNumber';
    // A model that is free is so by its ratio; a price of 0 per request is more often a slip.
    if (field === 'price' && readNumber(typed) === 0) problems.price = 'priceZero';
  }
  return problems;
}

/** The number fields that count, the one that must be filled first. */
function fieldsOf(form: CostForm) {
  if (form.mode === 'request') return ['price'] as const;
  return form.entry === 'ratio'
    ? (['ratio', 'completionRatio'] as const)
    : (['inputDollars', 'outputDollars'] as const);
}
