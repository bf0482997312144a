import { Button } from '@mantine/core';
import type { ProviderCheck } from '@tollgate/contract';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { inputOf, type ProviderForm } from './provider-form.ts';
import classes from './providers.module.css';
import { useTestProvider } from './queries.ts';
import { providerText as text } from './text.ts';

interface ProviderTestProps {
  values: ProviderForm;
  /** The provider whose stored secret is used if the field is empty; '' for a new one. */
  slug: string;
}

/** Asks the provider before anything is saved, and says what was found. */
export function ProviderTest({ values, slug }: ProviderTestProps) {
  const t = useTranslate();
  const language = useLanguage();
  const test = useTestProvider();
  const { kind, well_known, scopes, client_id, client_secret } = inputOf(values);
  const input = { kind, well_known, scopes, client_id, client_secret, slug };
  // What was found for other fields says nothing about these.
  const isCurrent = JSON.stringify(test.variables) === JSON.stringify(input);
  const isSaml = kind === 'saml';
  return (
    <div className={classes.test} role="status">
      <div className={classes.testHead}>
        <Button
          size="xs"
          variant="default"
          disabled={well_known === ''}
          loading={test.isPending}
          onClick={() => test.mutate(input)}
        >
          {t(text.test)}
        </Button>
        <span>{t(isSaml ? text.samlTestHint : text.testHint)}</span>
      </div>
      {isCurrent && test.isError && <Notice tone="bad">{errorMessage(test.error, language)}</Notice>}
      {isCurrent && test.data && <Found found={test.data} isSaml={isSaml} />}
    </div>
  );
}

function Found({ found, isSaml }: { found: ProviderCheck; isSaml: boolean }) {
  const t = useTranslate();
  const isRefused = found.client === 'refused';
  return (
    <>
      <DescriptionList
        rows={[
          [t(text.issuer), found.issuer],
          [t(text.loginPage), found.authorization_endpoint],
          ...(isSaml || isRefused ? [] : [[t(text.client), t(text[found.client])] as [string, string]]),
        ]}
      />
      {found.scopes_unknown.length > 0 && (
        <Notice tone="warn">{t(text.scopesUnknown, { scopes: found.scopes_unknown.join(' ') })}</Notice>
      )}
      {isRefused ? (
        <Notice tone="bad">{t(text.refused)}</Notice>
      ) : (
        <Notice tone="good">{t(text.found)}</Notice>
      )}
    </>
  );
}
