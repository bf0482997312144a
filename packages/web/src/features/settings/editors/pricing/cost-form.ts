import { readNumber } from '../numbers.ts';
import {
  completionRatioOf,
  dollarsOf,
  outputDollarsOf,
  ratioOf,
  type ModelCost,
  type PriceRow,
} from './model-prices.ts';

/** Input of the cost form. Only the fields of the chosen mode and unit count. */
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

/** A form filled with a model's current cost. */
export const formOfRow = (row: PriceRow): CostForm =>
  inDollars({
    ...emptyCost,
    name: row.name,
    mode: row.price === null ? 'token' : 'request',
    price: shown(row.price),
    ratio: shown(row.ratio),
    completionRatio: shown(row.completionRatio),
  });

/** The form with its ratios converted to dollars. */
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

/** Changes the unit of token prices, and converts the fields of the old unit to the new one. */
export function switchEntry(form: CostForm, entry: CostForm['entry']): CostForm {
  if (entry === form.entry) return form;
  if (entry === 'dollars') return inDollars(form);
  // Unchanged dollars keep their exact ratios; a division could round.
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

/** Possible faults of a field; `text` has the messages. */
export type CostProblem = 'enterNumber' | 'enterFill' | 'enterName' | 'exists' | 'priceZero';

interface Naming {
  /** True if the form asks for the model's name, which must be new. */
  asked: boolean;
  taken: readonly string[];
  /** True if one value applies to several models. */
  filling: boolean;
}

/** The faults of a form by field; empty for a valid form. */
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
    // A free model has a ratio of 0; a price of 0 per request is usually a mistake.
    if (field === 'price' && readNumber(typed) === 0) problems.price = 'priceZero';
  }
  return problems;
}

/** The number fields in use, required one first. */
function fieldsOf(form: CostForm) {
  if (form.mode === 'request') return ['price'] as const;
  return form.entry === 'ratio'
    ? (['ratio', 'completionRatio'] as const)
    : (['inputDollars', 'outputDollars'] as const);
}
