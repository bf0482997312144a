import type { settingErrors } from '../errors-settings.ts';
import { AppError, type ErrorValues } from '../errors.ts';

/**
 * Errors of setting checks. The settings page runs the same checks, and its build omits the texts of most other errors
 * (packages/web/without-error-texts.ts).
 */
export type SettingErrorCode = keyof typeof settingErrors;

/** Error of an invalid setting value. */
export const settingError = (code: SettingErrorCode, values?: ErrorValues, cause?: unknown): AppError =>
  new AppError(code, values, cause);
