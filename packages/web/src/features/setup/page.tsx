import { Skeleton } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ApiError, errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { LoadError } from '../../shared/state/load-error.tsx';
import { Stripes } from '../../ui/stripes.tsx';
import { AccountStep } from './account-step.tsx';
import { CallStep } from './call-step.tsx';
import { emptyForm, rules, toCall, type Needs, type SetupForm } from './form.ts';
import { ModeStep } from './mode-step.tsx';
import { MoveIn } from './move-in.tsx';
import classes from './page.module.css';
import { setupQuery, useSetUp } from './queries.ts';
import { text } from './text.ts';

const steps = [text.stepAccount, text.stepMode, text.stepCall];

/** The set-up of a new site. */
export function Page() {
  const t = useTranslate();
  const setup = useQuery(setupQuery);
  const [step, setStep] = useState(0);
  const [linkToken, forgetLinkToken] = useLinkToken();
  return (
    <div className={classes.page}>
      <div className={classes.card}>
        <Stripes />
        <div className={classes.head}>
          <h1 className={classes.title}>{t(text.title)}</h1>
          <p className={classes.lead}>{t(text.lead)}</p>
          <ol className={classes.steps}>
            {steps.map((name, index) => (
              <li
                key={name.en}
                className={classes.step}
                data-state={index === step ? 'current' : index < step ? 'done' : 'later'}
                aria-current={index === step ? 'step' : undefined}
              >
                <span className={classes.number}>
                  {index < step ? <Check size={13} aria-hidden="true" /> : index + 1}
                </span>
                {t(name)}
              </li>
            ))}
          </ol>
        </div>
        {setup.error ? (
          <LoadError error={setup.error} onRetry={() => setup.refetch()} />
        ) : setup.data === undefined ? (
          <div className={classes.body}>
            <Skeleton height={220} />
          </div>
        ) : (
          <Steps
            needs={{
              account: setup.data.root_init !== true,
              token: setup.data.token_required === true && linkToken === '',
            }}
            linkToken={linkToken}
            onWrongToken={forgetLinkToken}
            isSqlite={setup.data.database_type === 'sqlite'}
            step={step}
            onStep={setStep}
          />
        )}
      </div>
    </div>
  );
}

/**
 * The token from the fragment of the printed link, removed from the address bar and the history at once; and a function
 * that discards it, for an outdated link.
 */
function useLinkToken(): [string, () => void] {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const [token, setToken] = useState('');
  const found = new URLSearchParams(hash).get('token');
  if (found !== null && found !== token) setToken(found);
  useEffect(() => {
    if (found !== null) void navigate({ to: '/setup', hash: '', replace: true });
  }, [found, navigate]);
  return [token, () => setToken('')];
}

interface StepsProps {
  needs: Needs;
  /** '' if the address has none. */
  linkToken: string;
  onWrongToken: () => void;
  isSqlite: boolean;
  step: number;
  onStep: (step: number) => void;
}

function Steps({ needs, linkToken, onWrongToken, isSqlite, step, onStep }: StepsProps) {
  const t = useTranslate();
  const language = useLanguage();
  const setUp = useSetUp();
  const form = useForm<SetupForm>({
    initialValues: emptyForm,
    validate: rules(t, needs),
    validateInputOnBlur: true,
  });

  /** After a wrong token the field is shown: the link belongs to an earlier start. */
  const askForToken = (error: Error) => {
    if (!(error instanceof ApiError) || error.code !== 'setup_token_wrong') return;
    onWrongToken();
    onStep(0);
    form.setFieldError('token', errorMessage(error, language));
  };

  if (step === 0)
    return (
      <>
        <AccountStep form={form} needs={needs} isSqlite={isSqlite} onNext={() => onStep(1)} />
        {needs.account && <MoveIn token={linkToken || form.values.token.trim()} />}
      </>
    );
  if (step === 2) return <CallStep apiKey={setUp.data ?? null} />;
  return (
    <ModeStep
      form={form}
      pending={setUp.isPending}
      problem={setUp.isError ? errorMessage(setUp.error, language) : null}
      onBack={() => onStep(0)}
      onSubmit={() =>
        setUp.mutate(toCall({ ...form.values, token: linkToken || form.values.token }), {
          onSuccess: () => onStep(2),
          onError: askForToken,
        })
      }
    />
  );
}
