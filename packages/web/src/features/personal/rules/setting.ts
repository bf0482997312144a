import { secretMask } from '@tollgate/contract';

/** A user's notification settings in the form; stored as one JSON text. */
export interface OwnSetting {
  notify_type: 'email' | 'webhook';
  /** Quota units. */
  quota_warning_threshold: number;
  webhook_url: string;
  /** The mask means a stored secret; sending it back keeps that. */
  webhook_secret: string;
  /** '' for the address of the account. */
  notification_email: string;
  accept_unset_model_ratio_model: boolean;
}

/** Defaults for users without settings (docs/compatibility.md#notices). */
export const defaultSetting: OwnSetting = {
  notify_type: 'email',
  quota_warning_threshold: 100_000,
  webhook_url: '',
  webhook_secret: '',
  notification_email: '',
  accept_unset_model_ratio_model: false,
};

function parsed(stored: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(stored);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Parses the stored text; a field that is missing or of another type has its default. */
export function settingOf(stored: string): OwnSetting {
  const values = parsed(stored);
  const { quota_warning_threshold: threshold } = values;
  const text = (name: 'webhook_url' | 'webhook_secret' | 'notification_email') => {
    const value = values[name];
    return typeof value === 'string' ? value : defaultSetting[name];
  };
  return {
    notify_type: values.notify_type === 'webhook' ? 'webhook' : 'email',
    quota_warning_threshold:
      typeof threshold === 'number' && threshold > 0 ? threshold : defaultSetting.quota_warning_threshold,
    webhook_url: text('webhook_url'),
    webhook_secret: text('webhook_secret'),
    notification_email: text('notification_email'),
    accept_unset_model_ratio_model: values.accept_unset_model_ratio_model === true,
  };
}

/** The typed secret: letters behind the mask are a new secret. */
export const typedSecret = (value: string): string =>
  value === secretMask ? value : value.replaceAll(secretMask[0] ?? '', '');

export type SettingProblem =
  | 'thresholdInvalid'
  | 'webhookMissing'
  | 'webhookInsecure'
  | 'secretRequired'
  | 'emailMalformed';
type SettingField = 'quota_warning_threshold' | 'webhook_url' | 'webhook_secret' | 'notification_email';

const isSecureAddress = (url: string): boolean => URL.canParse(url) && new URL(url).protocol === 'https:';

/**
 * The faults of the notification settings, by field.
 *
 * @param before - the stored settings: their secret is kept for the same address only
 */
export function settingProblems(
  setting: Pick<OwnSetting, 'notify_type' | 'webhook_url' | 'webhook_secret' | 'notification_email'> & {
    quota_warning_threshold: number | string;
  },
  before: OwnSetting,
): (readonly [SettingField, SettingProblem])[] {
  const problems: (readonly [SettingField, SettingProblem])[] = [];
  if (!(Number(setting.quota_warning_threshold) > 0))
    problems.push(['quota_warning_threshold', 'thresholdInvalid']);
  if (setting.notify_type === 'email') {
    const { notification_email: email } = setting;
    if (email !== '' && !/^[^\s@]+@[^\s@]+$/.test(email))
      problems.push(['notification_email', 'emailMalformed']);
    return problems;
  }
  const { webhook_url: url } = setting;
  if (url === '') problems.push(['webhook_url', 'webhookMissing']);
  else if (!isSecureAddress(url)) problems.push(['webhook_url', 'webhookInsecure']);
  if (setting.webhook_secret === secretMask && url !== before.webhook_url)
    problems.push(['webhook_secret', 'secretRequired']);
  return problems;
}

/**
 * The request: the whole setting, because it is replaced as a whole. Fields of other notification methods keep their
 * stored values, so that a hidden address is never refused.
 */
export function settingToSend(setting: OwnSetting, before: OwnSetting): OwnSetting {
  const { webhook_url, webhook_secret, notification_email } = before;
  return setting.notify_type === 'email'
    ? { ...setting, webhook_url, webhook_secret }
    : { ...setting, notification_email };
}
