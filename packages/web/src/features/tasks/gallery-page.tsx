import { Button, SegmentedControl, Skeleton, Switch } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Images } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { LoadError } from '../../shared/state/load-error.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { galleryQuery } from './base/queries.ts';
import { gallerySearch } from './base/search.ts';
import { galleryText as text } from './base/text.ts';
import { workOfItem } from './base/work.ts';
import { Card } from './gallery/card.tsx';
import classes from './gallery/gallery.module.css';
import { Opened } from './view/opened.tsx';
import { Views } from './views.tsx';

type Kind = '' | 'picture' | 'song' | 'video';
const kinds: readonly Kind[] = ['', 'picture', 'song', 'video'];
const kindLabels = { '': text.all, picture: text.pictures, song: text.songs, video: text.videos };

/** The user's own pictures, songs and videos. */
export function Page() {
  const t = useTranslate();
  const [{ kind, made }, setSearch] = useUrlState(gallerySearch);
  return (
    <>
      <PageHead title={t(text.title)} hint={t(text.hint)} actions={<Views open="/gallery" />} />
      <div className={classes.bar}>
        <SegmentedControl
          aria-label={t(text.kind)}
          data={kinds.map((each) => ({ value: each, label: t(kindLabels[each]) }))}
          value={kind}
          onChange={(next) => setSearch({ kind: next })}
        />
        <Switch
          label={t(text.hideFailed)}
          checked={made}
          onChange={(event) => setSearch({ made: event.currentTarget.checked })}
        />
      </div>
      <Works />
    </>
  );
}

const places = [0, 1, 2, 3, 4, 5, 6, 7];

function Works() {
  const t = useTranslate();
  const [{ kind, made, open }, setSearch] = useUrlState(gallerySearch);
  const gallery = useInfiniteQuery(galleryQuery({ kind, failed: made ? 'hidden' : '' }));
  const { data, error, refetch } = gallery;
  const works = useMemo(() => data?.pages.flat().map(workOfItem), [data]);
  if (!works && error) return <LoadError error={error} onRetry={refetch} />;
  if (works?.length === 0) return <Empty />;
  return (
    <>
      <ul className={classes.grid} aria-busy={works === undefined} aria-label={t(text.title)}>
        {works
          ? works.map((work) => (
              <Card key={work.taskId} work={work} onOpen={() => setSearch({ open: work.taskId })} />
            ))
          : places.map((place) => (
              <li key={place}>
                <Skeleton height={270} />
              </li>
            ))}
      </ul>
      {gallery.hasNextPage && (
        <div className={classes.more}>
          <Button
            variant="default"
            loading={gallery.isFetchingNextPage}
            onClick={() => void gallery.fetchNextPage()}
          >
            {t(text.more)}
          </Button>
        </div>
      )}
      <Opened works={works} id={open} onClose={() => setSearch({ open: '' })} />
    </>
  );
}

function Empty() {
  const t = useTranslate();
  return (
    <EmptyState
      icon={<Images size={20} />}
      title={t(text.emptyTitle)}
      hint={t(text.emptyHint)}
      action={
        <Button renderRoot={(props) => <Link to="/token" {...props} />} variant="default">
          {t(text.toTokens)}
        </Button>
      }
    />
  );
}
