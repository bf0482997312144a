import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ApiError, errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { SecretField } from '../../shared/copy/secret-field.tsx';
import { textParam } from '../../shared/url-state/params.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { Notice } from '../../ui/notice.tsx';
import { AuthCard } from './auth-card.tsx';
import { useReset } from './queries.ts';
import { text } from './text.ts';

/** A refused link stays refused; a call without an answer may be repeated. */
const isFinal = (error: Error | null): boolean =>
  error instanceof ApiError && error.status > 0 && error.status < 429;

const search = { email: textParam(), token: textParam() };

/** The target of the link in the mail: creates a new password and shows it once. */
export function Page() {
  const t = useTranslate();
  const language = useLanguage();
  const [{ email, token }] = useUrlState(search);
  const reset = useReset();
  const incomplete = email === '' || token === '';
  return (
    <AuthCard title={t(text.newPasswordTitle)} foot={<Link to="/login">{t(text.backToLogin)}</Link>}>
      <Stack gap="md">
        {incomplete && <Notice tone="bad">{t(text.linkInvalid)}</Notice>}
        {reset.isError && (
          <Notice tone="bad" role="alert">
            {errorMessage(reset.error, language)}
          </Notice>
        )}
        {reset.isSuccess ? (
          <>
            <Notice tone="good" role="status">
              {t(text.newPasswordReady)}
            </Notice>
            <SecretField label={t(text.newPassword)} value={reset.data} open />
          </>
        ) : (
          !incomplete && (
            <>
              <Text>{t(text.newPasswordFor, { email })}</Text>
              <Button
                fullWidth
                size="md"
                loading={reset.isPending}
                disabled={isFinal(reset.error)}
                onClick={() => reset.mutate({ email, token })}
              >
                {t(text.newPasswordSubmit)}
              </Button>
            </>
          )
        )}
      </Stack>
    </AuthCard>
  );
}
