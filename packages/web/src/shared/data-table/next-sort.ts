/** How a column is ordered at the moment; null when another one is, or none. */
export function directionOf(sort: string, value: string): 'ascending' | 'descending' | null {
  if (value === sort) return 'ascending';
  return value === `-${sort}` ? 'descending' : null;
}

/**
 * What a click on a column's head asks for: first its usual direction, then the other, then the list's own order again.
 *
 * @param largestFirst - numbers are asked for to see the largest, names to find one
 */
export function nextSort(sort: string, value: string, largestFirst: boolean): string {
  const [first, second] = largestFirst ? [`-${sort}`, sort] : [sort, `-${sort}`];
  if (value === first) return second ?? '';
  return value === second ? '' : (first ?? '');
}
