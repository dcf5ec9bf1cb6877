/** The one script of published pages, sent with those that hold a diagram: everything can be read without it. */
import { drawDiagrams, redrawDiagrams } from '../diagram/draw.ts'

drawDiagrams(document)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redrawDiagrams(document))
