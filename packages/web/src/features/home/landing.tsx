import { product } from '@tollgate/contract';
import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { HardDrive, ReceiptText, Route } from 'lucide-react';
import { siteAddress } from '../../lib/address.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { useStatus } from '../../lib/api/status.ts';
import { CopyButton } from '../../shared/copy/copy-button.tsx';
import { callableModels, firstChatModel, offersQuery } from '../../shared/snippets/offered.ts';
import { SnippetTabs } from '../../shared/snippets/snippet-tabs.tsx';
import { Stripes } from '../../ui/stripes.tsx';
import classes from './page.module.css';
import { text } from './text.ts';

const points = [
  { icon: ReceiptText, title: text.moneyTitle, words: text.money },
  { icon: Route, title: text.routeTitle, words: text.route },
  { icon: HardDrive, title: text.ownTitle, words: text.own },
];

/** Sample code with a model that the reader may call, or the reason why there is none. */
function Example({ origin }: { origin: string }) {
  const status = useStatus();
  const user = useCurrentUser();
  const isOpen = user !== null || (status?.public_pricing ?? false);
  const {
    data: offers,
    isLoading,
    isError,
  } = useQuery({ ...offersQuery(user?.id ?? null), enabled: isOpen });
  if (isLoading) return <Skeleton height={220} />;
  const scope = { group: user?.group || 'default', servesUnpriced: status?.self_use_mode_enabled ?? false };
  const models = callableModels(offers ?? [], scope);
  return (
    <SnippetTabs
      origin={origin}
      apiKey="sk-…"
      model={firstChatModel(models)}
      models={models}
      why={isError ? text.modelsUnknown : isOpen ? text.noModels : text.modelsHidden}
    />
  );
}

/** The landing page of a site without an operator's home page. */
export function Landing() {
  const t = useTranslate();
  const status = useStatus();
  const user = useCurrentUser();
  const origin = siteAddress(status);
  return (
    <div className={classes.page}>
      <div className={classes.hero}>
        <div>
          <div className={classes.stripes}>
            <Stripes />
          </div>
          <h1 className={classes.headline}>{t(text.headline)}</h1>
          <p className={classes.lead}>{t(text.lead, { name: status?.system_name || product.name })}</p>
          <div className={classes.buttons}>
            <Button component={Link} to={user ? '/token' : '/login'} size="md">
              {t(user ? text.open : text.start)}
            </Button>
            {status?.docs_link && (
              <Button
                component="a"
                href={status.docs_link}
                target="_blank"
                rel="noreferrer"
                size="md"
                variant="default"
              >
                {t(text.docs)}
              </Button>
            )}
          </div>
        </div>
        <div className={classes.card}>
          <div className={classes.label}>{t(text.address)}</div>
          <div className={classes.address}>
            <span className={classes.url}>{origin}/v1</span>
            <CopyButton value={`${origin}/v1`} what={t(text.address)} />
          </div>
          <p className={classes.unchanged}>{t(text.unchanged)}</p>
          <Example origin={origin} />
        </div>
      </div>
      <ul className={classes.points}>
        {points.map(({ icon: Icon, title, words }) => (
          <li key={title.en}>
            <h2>
              <Icon size={17} aria-hidden="true" />
              {t(title)}
            </h2>
            <p>{t(words)}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
