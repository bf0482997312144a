import { filledWords, formFaults } from '@tollgate/contract/relay-errors';
import type { FormError } from '../../lib/form.ts';
import { refuse, type RelayError } from './relay-error.ts';

/** The refusal of a form that cannot be read. */
export const invalidForm = ({ fault, value }: FormError): RelayError =>
  refuse('invalid_form', { detail: filledWords(formFaults[fault], { value }) });
