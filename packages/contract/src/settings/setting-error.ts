import type { settingErrors } from '../errors-settings.ts';
import { AppError, type ErrorValues } from '../errors.ts';

/**
 * What a check of a setting may answer. The settings page runs the same checks, and its build leaves the texts of most other
 * errors out (packages/web/without-error-texts.ts).
 */
export type SettingErrorCode = keyof typeof settingErrors;

/** The error of a value that cannot be stored. */
export const settingError = (code: SettingErrorCode, values?: ErrorValues, cause?: unknown): AppError =>
  new AppError(code, values, cause);
