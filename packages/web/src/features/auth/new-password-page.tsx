import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { wordsOf } from '../../lib/api/api-error.ts';
import { useLanguage, useSay } from '../../lib/i18n.ts';
import { SecretField } from '../../shared/copy/secret-field.tsx';
import { textParam } from '../../shared/url-state/params.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { Notice } from '../../ui/notice.tsx';
import { AuthCard } from './auth-card.tsx';
import { useReset } from './queries.ts';
import { text } from './text.ts';

const search = { email: textParam(), token: textParam() };

/** Where the link of the mail leads: makes a new password and shows it once. */
export function Page() {
  const say = useSay();
  const language = useLanguage();
  const [{ email, token }] = useUrlState(search);
  const reset = useReset();
  const incomplete = email === '' || token === '';
  return (
    <AuthCard title={say(text.newPasswordTitle)} foot={<Link to="/login">{say(text.backToLogin)}</Link>}>
      <Stack gap="md">
        {incomplete && <Notice tone="bad">{say(text.linkInvalid)}</Notice>}
        {reset.isError && (
          <Notice tone="bad" role="alert">
            {wordsOf(reset.error, language)}
          </Notice>
        )}
        {reset.isSuccess ? (
          <>
            <Notice tone="good" role="status">
              {say(text.newPasswordReady)}
            </Notice>
            <SecretField label={say(text.newPassword)} value={reset.data} open />
          </>
        ) : (
          !incomplete && (
            <>
              <Text>{say(text.newPasswordFor, { email })}</Text>
              <Button
                fullWidth
                size="md"
                loading={reset.isPending}
                disabled={reset.isError}
                onClick={() => reset.mutate({ email, token })}
              >
                {say(text.newPasswordSubmit)}
              </Button>
            </>
          )
        )}
      </Stack>
    </AuthCard>
  );
}
