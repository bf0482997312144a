import { Group, Radio, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { secretMask, type UserData } from '@tollgate/contract';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { QuotaField } from '../../../shared/quota-field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';
import classes from '../base/personal.module.css';
import { useSaveSetting } from '../base/queries.ts';
import { text } from '../base/text.ts';
import { settingOf, settingProblems, settingToSend, typedSecret, type OwnSetting } from '../rules/setting.ts';

/** In quota units. */
const thresholds = [100_000, 500_000, 1_000_000, 5_000_000];

interface NoticesForm extends Record<string, unknown> {
  notify_type: OwnSetting['notify_type'];
  quota_warning_threshold: number | string;
  webhook_url: string;
  webhook_secret: string;
  notification_email: string;
}

/** The part of the setting that this form edits. */
const noticesOf = ({ accept_unset_model_ratio_model: _prices, ...notices }: OwnSetting): NoticesForm =>
  notices;

interface PartProps {
  self: UserData;
  form: UseFormReturnType<NoticesForm>;
}

/** Method and threshold of notifications about a low balance. */
export function NoticesPanel({ self }: { self: UserData }) {
  const t = useTranslate();
  return (
    <Panel title={t(text.notices)} hint={t(text.noticesHint)}>
      {/* The saved values are the form's new initial values. */}
      <NoticesFields key={JSON.stringify(noticesOf(settingOf(self.setting)))} self={self} />
    </Panel>
  );
}

function useNoticesForm(before: OwnSetting) {
  const t = useTranslate();
  return useForm<NoticesForm>({
    initialValues: noticesOf(before),
    validate: (values) =>
      Object.fromEntries(
        settingProblems(values, before).map(([field, problem]) => [field, t(text[problem])]),
      ),
  });
}

function NoticesFields({ self }: { self: UserData }) {
  const t = useTranslate();
  const language = useLanguage();
  const before = settingOf(self.setting);
  const save = useSaveSetting(() => toast.good(t(text.noticesSaved)), true);
  const form = useNoticesForm(before);
  const submit = form.onSubmit((values) => {
    const setting = { ...before, ...values, quota_warning_threshold: Number(values.quota_warning_threshold) };
    save.mutate(settingToSend(setting, before));
  });
  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <Radio.Group label={t(text.notifyType)} {...form.getInputProps('notify_type')}>
        <Group gap={20} mt={6}>
          <Radio value="email" label={t(text.byEmail)} />
          <Radio value="webhook" label={t(text.byWebhook)} />
        </Group>
      </Radio.Group>
      <QuotaField
        label={t(text.threshold)}
        presets={thresholds}
        {...form.getInputProps('quota_warning_threshold')}
      />
      {form.values.notify_type === 'email' ? (
        <EmailField self={self} form={form} />
      ) : (
        <WebhookFields self={self} form={form} />
      )}
      <p className={classes.quiet}>{t(text.noticesLanguage)}</p>
      {save.error && (
        <Notice tone="bad" role="alert">
          {t(text.noticesFailed)} · {errorMessage(save.error, language)}
        </Notice>
      )}
      <div className={classes.foot}>
        <MutationButton type="submit" variant="default" disabled={!form.isDirty()} loading={save.isPending}>
          {t(text.save)}
        </MutationButton>
      </div>
    </form>
  );
}

function EmailField({ self, form }: PartProps) {
  const t = useTranslate();
  const hint = self.email === '' ? t(text.notifyEmailNone) : t(text.notifyEmailHint, { email: self.email });
  return (
    <TextInput
      label={t(text.notifyEmail)}
      description={hint}
      type="email"
      autoComplete="email"
      maxLength={50}
      {...form.getInputProps('notification_email')}
    />
  );
}

/** The secret is never shown: its mask keeps the stored secret, and typing starts a new one. */
function WebhookFields({ self, form }: PartProps) {
  const t = useTranslate();
  const isKept = settingOf(self.setting).webhook_secret === secretMask;
  return (
    <>
      <TextInput
        label={t(text.webhookUrl)}
        description={t(text.webhookUrlHint)}
        placeholder="https://example.com/hook"
        type="url"
        autoComplete="off"
        maxLength={1024}
        {...form.getInputProps('webhook_url')}
      />
      <PasswordField
        label={t(text.webhookSecret)}
        description={`${t(text.webhookSecretHint)}${isKept ? ` · ${t(text.webhookSecretKept)}` : ''}`}
        autoComplete="off"
        maxLength={255}
        {...form.getInputProps('webhook_secret')}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => form.setFieldValue('webhook_secret', typedSecret(event.currentTarget.value))}
      />
    </>
  );
}
