import { Switch } from '@mantine/core';
import { useTranslate } from '../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../lib/session.ts';
import { BelowCost } from '../../shared/below-cost/below-cost.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Book, pricesSearch } from './book/book.tsx';
import classes from './base/prices.module.css';
import { text } from './base/text.ts';

/** Prices of models, for administrators; only root changes them. */
export function Page() {
  const t = useTranslate();
  const isRoot = mayAccess(useCurrentUser(), 'root');
  const [{ ratios }, setSearch] = useUrlState(pricesSearch);
  return (
    <>
      <PageHead
        title={t(text.title)}
        hint={t(isRoot ? text.hint : text.readOnly)}
        actions={
          <Switch
            label={t(text.ratios)}
            checked={ratios}
            onChange={(event) => setSearch({ ratios: event.currentTarget.checked })}
            styles={{ root: { alignSelf: 'center' } }}
          />
        }
      />
      {isRoot && (
        <div className={classes.lead}>
          <BelowCost />
        </div>
      )}
      <Book mayEdit={isRoot} />
    </>
  );
}
