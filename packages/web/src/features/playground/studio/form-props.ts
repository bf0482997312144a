import type { Offer } from '../settings/use-choice.ts';
import type { Make } from './works.ts';

/** The input of every call: the model, and the group that sets the price. */
interface Start {
  model: string;
  group: string;
}

export interface FormProps {
  offer: Offer;
  /** Starts a work: its title and the function that makes it. */
  onMake: (prompt: string, makeOf: (start: Start) => Make) => void;
}
