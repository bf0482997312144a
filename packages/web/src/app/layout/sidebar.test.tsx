import { afterEach, expect, test, vi } from 'vitest';
import { renderPage } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';
import { teamSite } from '../../testing/team-site.ts';

afterEach(() => void vi.restoreAllMocks());

test('the current page is scrolled into view in a sidebar that is longer than the window', async () => {
  const seen = vi.spyOn(Element.prototype, 'scrollIntoView');
  renderPage('/organisations', { server: teamSite(), as: people.root });
  const hrefs = () => seen.mock.contexts.map((each) => (each as Element).getAttribute('href'));
  await expect.poll(hrefs).toContain('/organisations');
});
