import type { Offer } from '../settings/use-choice.ts';
import type { Make } from './works.ts';

/** The input of every call: the model, and the group whose price applies. */
interface Start {
  model: string;
  group: string;
}

export interface FormProps {
  offer: Offer;
  /** Begins a work: what it is called by, and how it is made. */
  onMake: (prompt: string, makeOf: (start: Start) => Make) => void;
}
