/** The words of charts: names of types, warnings and errors. */
import { type ChartProblem, type ChartType, chartTypes, type ChartWarning } from '../../shared/fences/chart.ts'
import { t, tn } from '../text/t.ts'

export const typeName = (type: ChartType): string =>
  ({ bar: t('Bars'), line: t('Lines'), area: t('Areas'), scatter: t('Points'), pie: t('Pie'), donut: t('Donut') })[type]

export const warningWords = ({ warning, count, name }: ChartWarning): string => {
  const values = { name }
  if (warning === 'words')
    return tn(count, '1 cell is not a number and is left out: {name}', '{count} cells are not numbers and are left out: {name} …', values)
  if (warning === 'negative')
    return tn(count, '1 value below zero has no slice: {name}', '{count} values below zero have no slice: {name} …', values)
  if (warning === 'series')
    return tn(
      count,
      'Only the first column is shown. {name} is left out.',
      'Only the first column is shown. {count} others are left out: {name} …',
      values
    )
  if (warning === 'legend')
    return tn(count, '1 slice is not in the legend: {name}', '{count} slices are not in the legend: {name} …', values)
  if (warning === 'type') return t('{name} is not a chart type. Use one of these: {types}.', { name, types: chartTypes.join(', ') })
  if (warning === 'range') return t('The axis range {name} is not valid.', { name })
  return tn(
    count,
    '1 label is not a number, so its position is used instead: {name}',
    '{count} labels are not numbers, so their positions are used instead: {name} …',
    values
  )
}

export const problemWords = ({ problem, name, others = [] }: ChartProblem): string => {
  if (problem === 'none') return t('There is no data yet.')
  if (problem === 'elsewhere') return t('The data is in {name}, which is not a file on this server.', { name })
  if (problem === 'sheet' && others.length > 0)
    return t('There is no sheet {name}. The document has {others}.', { name, others: others.join(', ') })
  if (problem === 'sheet') return t('There is no sheet {name}.', { name })
  if (problem === 'cells') return t('The cells {name} do not exist. Pick the data again.', { name })
  if (problem === 'json') return t('The data is not a JSON list.')
  return problem === 'column' ? t('There is no column “{name}”.', { name }) : t('There are no numbers to show.')
}
