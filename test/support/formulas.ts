/**
 * Formulas with known results. Each section names the source of its results. `OpenFormula` with a chapter refers to part 4 of OpenDocument 1.2: its
 * test cases and semantics, with arguments separated by `;` as in that text. `Excel` is the source for functions that are not in it. Each line is
 * `formula → displayed result`, for the sheet below.
 */
export const cells: readonly (readonly string[])[] = [
  ['Name', 'Qty', 'Price', 'Date', 'Flag', 'Note'],
  ['Pens', '12', '3.5', '2026-01-15', 'TRUE', ''],
  ['Paper', '4', '6', '2026-02-01', 'FALSE', 'x'],
  ['Ink', '7', '19.9', '2025-12-31', 'TRUE', '5%'],
  ['pens', '', '-2', '', '', '#N/A'],
  ['Clips', '100', '0.05', '2024-02-29', 'FALSE', '=1/0']
]

/** The cells of the sheet `#other`. */
export const otherCells: readonly (readonly string[])[] = [
  ['10', 'a'],
  ['20', 'b'],
  ['30', '=A1+A2'],
  ['', '=#main!B2*2']
]

export const table = `
OpenFormula 5.5 Operators and their order
=1+2*3 → 7
=(1+2)*3 → 9
=2*3+4 → 10
=10-3-2 → 5
=100/10/2 → 5
=2^3^2 → 64
=-2^2 → 4
=(-2)^2 → 4
=0-2^2 → -4
=2^-1 → 0.5
=2*-3 → -6
=--3 → 3
=+5 → 5
=-+-5 → 5
=50% → 0.5
=200%*3 → 6
=10%% → 0.001
=-50% → -0.5
=2^50% → 1.4142135623731
=1+1=2 → TRUE
=1+1<>2 → FALSE
=1<2 → TRUE
=2<=2 → TRUE
=3>=4 → FALSE
=3>4 → FALSE
="a"&"b"&"c" → abc
=1&2 → 12
=1+2&3 → 33
="x"&1+1 → x2
="a"&"b"="ab" → TRUE
= 1 + 1 → 2
=((((1)))) → 1
=1.5e3 → 1500
=1E-2 → 0.01
=.5 → 0.5
=5. → 5
=1/3 → 0.333333333333333
=0.1+0.2 → 0.3
=0.1+0.2=0.3 → TRUE
=1/0 → #DIV/0!
=0/0 → #DIV/0!
=0^-1 → #DIV/0!
=(-8)^(1/3) → #NUM!
=10^308*10 → #NUM!
=-0 → 0
=1e21 → 1E+21
=12345678901234567 → 12345678901234600
OpenFormula 6.4 Comparison of texts, truth values and empty cells
="a"="A" → TRUE
="a"<"b" → TRUE
="a"<"B" → TRUE
="ä"="Ä" → TRUE
="ab">"a" → TRUE
=1="1" → FALSE
=1<"1" → TRUE
="z"<TRUE → TRUE
=TRUE=1 → FALSE
=TRUE>FALSE → TRUE
=F2="" → TRUE
=F2=0 → TRUE
=F2=FALSE → TRUE
=F2=F2 → TRUE
=A2=A5 → TRUE
=D3>D2 → TRUE
=D2=D3 → FALSE
OpenFormula 6.3 Conversions
="3"+4 → 7
="1,000"+1 → 1001
="50%"*2 → 1
="50 %"*2 → 1
="$3.00"+"$4.50" → 7.5
="-$1,200.50"*1 → -1200.5
="$-3"*1 → -3
="12.50 €"*2 → 25
="€ 2"*"+£ 3" → 6
="$"*1 → #VALUE!
="$3€"*1 → #VALUE!
="12,50 €"*1 → #VALUE!
="x"+1 → #VALUE!
=""+1 → #VALUE!
=TRUE+1 → 2
=F2+1 → 1
=F2&"x" → x
=E2&"" → TRUE
=D2&"" → 2026-01-15
=D2+1 → 2026-01-16
=D2-1 → 2026-01-14
=1+D2 → 2026-01-16
=D3-D2 → 17
=D2*1 → 46037
="2026-01-15"+0 → 46037
=A2:A3+1 → #VALUE!
=F4*2 → 0.1
OpenFormula 5.8 References
=B2 → 12
=$B$2 → 12
=B$2+$C2 → 15.5
=b2 → 12
=F2 → 0
=Z9 → 0
=A2 → Pens
=E2 → TRUE
=D2 → 2026-01-15
=SUM(B2:B4) → 23
=SUM(B4:B2) → 23
=SUM(C4:B2) → 52.4
=SUM(B2) → 12
=AZ1 → #REF!
=A201 → #REF!
=#other!A1 → 10
=SUM(#other!A1:A3) → 60
=#other!B3 → 30
=#other!B4 → 24
=#missing!A1 → #REF!
=#REF!+1 → #REF!
=IFERROR(#missing!A1,"gone") → gone
OpenFormula 5.6 and 5.12 Errors
=F6 → #DIV/0!
=F5 → #N/A
=F6+F5 → #DIV/0!
=SUM(F5:F6) → #N/A
=nothing → #NAME?
=NOTHING(1) → #NAME?
=#N/A → #N/A
=#DIV/0! → #DIV/0!
=1+ → #VALUE!
=(1 → #VALUE!
=1) → #VALUE!
=1 2 → #VALUE!
="open → #VALUE!
= → #VALUE!
=SUM( → #VALUE!
=@ → #VALUE!
=ABS() → #VALUE!
=ABS(1,2) → #VALUE!
=IF() → #VALUE!
OpenFormula 6.15.4 IF
=IF(FALSE();7;8) → 8
=IF(TRUE();7;8) → 7
=IF(TRUE();"HI";8) → HI
=IF(1;7;8) → 7
=IF(5;7;8) → 7
=IF(0;7;8) → 8
=IF(TRUE();B2;8) → 12
=IF(TRUE();B2+5;8) → 17
=IF("x";7;8) → #VALUE!
=IF(;7;8) → 8
=IF(FALSE();7) → FALSE
=IF(FALSE();7;) → 0
=IF(TRUE();4;1/0) → 4
=IF(FALSE();1/0;5) → 5
=IF(TRUE();1/0;5) → #DIV/0!
=IF(B2>10,"many","few") → many
=IF(F2,1,2) → 2
=IF(1/0,1,2) → #DIV/0!
OpenFormula 6.15 Logical functions
=AND(FALSE();FALSE()) → FALSE
=AND(FALSE();TRUE()) → FALSE
=AND(TRUE();TRUE()) → TRUE
=AND(TRUE();NA()) → #NAME?
=AND(1;TRUE()) → TRUE
=AND(0;TRUE()) → FALSE
=AND(TRUE();TRUE();FALSE()) → FALSE
=AND(TRUE()) → TRUE
=AND(E2:E4) → FALSE
=AND(A2:A4) → #VALUE!
=OR(FALSE();FALSE()) → FALSE
=OR(TRUE();FALSE()) → TRUE
=OR(FALSE();1) → TRUE
=OR(E2:E6) → TRUE
=OR("x") → #VALUE!
=NOT(FALSE()) → TRUE
=NOT(TRUE()) → FALSE
=NOT(5) → FALSE
=NOT(0) → TRUE
=NOT("x") → #VALUE!
=TRUE() → TRUE
=true → TRUE
=FALSE → FALSE
=IFERROR(5;6) → 5
=IFERROR(1/0;6) → 6
=IFERROR(F5,"none") → none
=IFERROR(F6;1/0) → #DIV/0!
=IFERROR(B2,0) → 12
OpenFormula 6.13 ISBLANK
=ISBLANK(1) → FALSE
=ISBLANK("") → FALSE
=ISBLANK(F2) → TRUE
=ISBLANK(B2) → FALSE
=ISBLANK(F6) → FALSE
=ISBLANK(Z99) → TRUE
OpenFormula 6.16.61 SUM
=SUM(1;2;3) → 6
=SUM(TRUE();2;3) → 6
=SUM(B2:B3) → 16
=SUM(B2;B3;1) → 17
=SUM(A1:A6) → 0
=SUM(B2:B6) → 123
=SUM("5";1) → 6
=SUM("x";1) → #VALUE!
=SUM(1;;2) → 3
=SUM(0.1,0.2) → 0.3
=SUM(E2:E6) → 0
=SUM(-1,1) → 0
OpenFormula 6.18 AVERAGE, MIN, MAX, MEDIAN, STDEV
=AVERAGE(2;4) → 3
=AVERAGE(B2:B6) → 30.75
=AVERAGE(A1:A6) → #DIV/0!
=AVERAGE(TRUE(),3) → 2
=MIN(2;4;1;-8) → -8
=MIN(B2:B6) → 4
=MIN(A1:A6) → 0
=MIN(D2:D6) → 2024-02-29
=MIN(C2:C6) → -2
=MAX(2;4;1;-8) → 4
=MAX(B2:B6) → 100
=MAX(D2:D6) → 2026-02-01
=MAX(A1:A6) → 0
=MEDIAN(10;20;30) → 20
=MEDIAN(10;20;30;40) → 25
=MEDIAN(B2:B6) → 9.5
=MEDIAN(A1:A6) → #NUM!
=STDEV(2;4) → 1.4142135623731
=STDEV(5;5;5) → 0
=STDEV(2;4;4;4;5;5;7;9) → 2.1380899352994
=STDEV(1) → #DIV/0!
=STDEV.S(1,2,3,4,5) → 1.58113883008419
OpenFormula 6.13 COUNT, COUNTA
=COUNT(1;2;3) → 3
=COUNT(B2:B3) → 2
=COUNT(B2:B6) → 4
=COUNT(A1:F6) → 14
=COUNT(D2:D6) → 4
=COUNT(F5:F6) → 0
=COUNT("x") → 0
=COUNTA("1";2;TRUE()) → 3
=COUNTA(B2:B6) → 4
=COUNTA(F1:F6) → 5
=COUNTA(Z1:Z9) → 0
OpenFormula 6.13.9 COUNTIF and 4.11.8 Criteria
=COUNTIF(B2:B6;">6") → 3
=COUNTIF(B2:B6;">=7") → 3
=COUNTIF(B2:B6;"<7") → 1
=COUNTIF(B2:B6;"<=7") → 2
=COUNTIF(B2:B6;7) → 1
=COUNTIF(B2:B6;"7") → 1
=COUNTIF(B2:B6;"=7") → 1
=COUNTIF(B2:B6;"<>7") → 4
=COUNTIF(A2:A6;"pens") → 2
=COUNTIF(A2:A6;"P*") → 3
=COUNTIF(A2:A6;"?n?") → 1
=COUNTIF(A2:A6;"<>pens") → 3
=COUNTIF(A2:A6;">i") → 4
=COUNTIF(B2:B6;"") → 1
=COUNTIF(B2:B6;"<>") → 4
=COUNTIF(E2:E6;TRUE()) → 2
=COUNTIF(E2:E6;"FALSE") → 2
=COUNTIF(D2:D6;">2026-01-01") → 2
=COUNTIF(D2:D6;D2) → 1
=COUNTIF(A1:A6;"*~**") → 0
=COUNTIF(B2:B6;">"&B3) → 3
OpenFormula 6.16.62 SUMIF
=SUMIF(B2:B6;">6") → 119
=SUMIF(B2:B6;">6";C2:C6) → 23.45
=SUMIF(A2:A6;"pens";C2:C6) → 1.5
=SUMIF(A2:A6;"nobody";B2:B6) → 0
=SUMIF(A2:A6;"P*";B2:B6) → 16
=SUMIF(B2:B6;12) → 12
OpenFormula 6.17 Rounding
=ROUND(10.1;0) → 10
=ROUND(9.8;0) → 10
=ROUND(0.5;0) → 1
=ROUND(1/3;0) → 0
=ROUND(1/3;1) → 0.3
=ROUND(1/3;2) → 0.33
=ROUND(1/3;2.9) → 0.33
=ROUND(5555;-1) → 5560
=ROUND(-1.1; 0) → -1
=ROUND(-1.5;0) → -2
=ROUND(-1.5) → -2
=ROUND(1.1) → 1
=ROUND(9.8) → 10
=ROUND(1.005;2) → 1.01
=ROUND(2.675;2) → 2.68
=ROUND(1e-7;2) → 0
=ROUND(5;999) → #NUM!
=ROUND("x";1) → #VALUE!
=ROUNDDOWN(1.45673;2) → 1.45
=ROUNDDOWN(1;0) → 1
=ROUNDDOWN(1) → 1
=ROUNDDOWN(9;-1) → 0
=ROUNDDOWN(-9;-1) → 0
=ROUNDDOWN(9;0) → 9
=ROUNDDOWN(-1.1;0) → -1
=ROUNDDOWN(-1.9) → -1
=ROUNDUP(1.45673;2) → 1.46
=ROUNDUP(1.1;0) → 2
=ROUNDUP(1.9;0) → 2
=ROUNDUP(1) → 1
=ROUNDUP(9;-1) → 10
=ROUNDUP(-9;-1) → -10
=ROUNDUP(9;0) → 9
=ROUNDUP(-1.1) → -2
OpenFormula 6.16 ABS, MOD, POWER, SQRT
=ABS(-4) → 4
=ABS(4) → 4
=ABS(0) → 0
=ABS("-3") → 3
=MOD(10;3) → 1
=MOD(2;8) → 2
=MOD(5.5;2.5) → 0.5
=MOD(-2;3) → 1
=MOD(2;-3) → -1
=MOD(-2;-3) → -2
=MOD(10;0) → #DIV/0!
=MOD(6;3) → 0
=MOD(-6;3) → 0
=POWER(10;0) → 1
=POWER(2;10) → 1024
=POWER(4;0.5) → 2
=POWER(0;-1) → #DIV/0!
=POWER(-8;0.5) → #NUM!
=SQRT(4) → 2
=SQRT(2) → 1.4142135623731
=SQRT(-4) → #NUM!
=SQRT(F2) → 0
OpenFormula 6.20 Text
=CONCAT("a";1;TRUE()) → a1TRUE
=CONCAT(A2:A4) → PensPaperInk
=CONCATENATE("Hi ";"there") → Hi there
=CONCAT(F5) → #N/A
=LEFT("Hello";2) → He
=LEFT("Hello") → H
=LEFT("Hello";20) → Hello
=LEFT("Hello";0) →
=LEFT("";4) →
=LEFT("xxx";-0.1) → #VALUE!
=LEFT("Hello";2.9) → He
=LEFT(12345;2) → 12
=LEFT("😀a";1) → 😀
=RIGHT("Hello";2) → lo
=RIGHT("Hello") → o
=RIGHT("Hello";20) → Hello
=RIGHT("Hello";0) →
=RIGHT("Hello";2.9) → lo
=RIGHT("xxx";-1) → #VALUE!
=MID("123456789";5;3) → 567
=MID("123456789";20;3) →
=MID("123456789";-1;0) → #VALUE!
=MID("123456789";1;0) →
=MID("123456789";2.9;1) → 2
=MID("123456789";2;3.9) → 234
=MID("123";0;1) → #VALUE!
=LEN("Hi There") → 8
=LEN("") → 0
=LEN(55) → 2
=LEN("😀") → 1
=LEN(F2) → 0
=TRIM(" HI ") → HI
=LEN(TRIM("H" & " " & " " & "I")) → 3
=TRIM("a  b   c") → a b c
=UPPER("Good4you") → GOOD4YOU
=UPPER("straße") → STRASSE
=LOWER("HELLObc7") → hellobc7
=VALUE("6") → 6
=VALUE("1E5") → 100000
=VALUE("50%") → 0.5
=VALUE("1,234.5") → 1234.5
=VALUE("2026-01-15") → 46037
=VALUE(" 7 ") → 7
=VALUE("Hello") → #VALUE!
=VALUE("") → #VALUE!
="say ""hi""" → say "hi"
OpenFormula 6.20.23 TEXT, with formats of numbers and dates
=TEXT(12345.67;"0") → 12346
=TEXT(12345.67;"0.0") → 12345.7
=TEXT(12345.67;"#,##0.00") → 12,345.67
=TEXT(1234567;"#,##0") → 1,234,567
=TEXT(0.5;"0%") → 50%
=TEXT(0.1234;"0.0%") → 12.3%
=TEXT(5;"000") → 005
=TEXT(0.5;"#.##") → .5
=TEXT(3;"0.##") → 3
=TEXT(3.456;"0.##") → 3.46
=TEXT(-3;"0.00") → -3.00
=TEXT(-3;"0;(0)") → (3)
=TEXT(-0.001;"0.0") → 0.0
=TEXT(1.005;"0.00") → 1.01
=TEXT(7;"0 ""pieces""") → 7 pieces
=TEXT(7;"€ 0.00") → € 7.00
=TEXT(D2;"yyyy-mm-dd") → 2026-01-15
=TEXT(D2;"dd.mm.yyyy") → 15.01.2026
=TEXT(D2;"d mmmm yyyy") → 15 January 2026
=TEXT(D2;"ddd d mmm yy") → Thu 15 Jan 26
=TEXT(D2;"dddd") → Thursday
=TEXT("x";"0") → x
=TEXT(7;"@") → 7
=TEXT(TRUE();"0") → TRUE
=TEXT(7;"General") → 7
OpenFormula 6.10 Dates
=DATE(2005;1;31) → 2005-01-31
=DATE(2005;12;31)-DATE(1904;1;1) → 37255
=DATE(2004;2;29)=DATE(2004;2;28)+1 → TRUE
=DATE(2000;2;29)=DATE(2000;2;28)+1 → TRUE
=DATE(2005;1;3)=DATE(2005;1;2)+1 → TRUE
=DATE(2017.5;1;2) → 2017-01-02
=DATE(2006;2.5;3) → 2006-02-03
=DATE(2006;1;3.5) → 2006-01-03
=DATE(2006;13;3) → 2007-01-03
=DATE(2006;1;32) → 2006-02-01
=DATE(2006;25;34) → 2008-02-03
=DATE(2006;-1;1) → 2005-11-01
=DATE(2006;4;-1) → 2006-03-30
=DATE(2006;-4;-1) → 2005-07-30
=DATE(2003;2;29) → 2003-03-01
=DATE(1800;1;1) → #NUM!
=DATE(10000;1;1) → #NUM!
=DAYS(DATE(1993;4;16); DATE(1993;9;25)) → -162
=DAYS("2026-03-01","2026-02-01") → 28
=DAYS(D3,D2) → 17
=YEAR(DATE(1904;1;1)) → 1904
=YEAR(DATE(2004;1;1)) → 2004
=YEAR("2006-05-21") → 2006
=MONTH(D2) → 1
=MONTH("2006-05-21") → 5
=DAY(D2) → 15
=DAY("2006-05-21") → 21
=YEAR(F2) → 1899
=MONTH(-1) → #NUM!
=DAY("x") → #VALUE!
=TODAY() → 2026-11-20
=TODAY()-DATE(2026;1;1) → 323
=YEAR(TODAY()) → 2026
OpenFormula 6.14.12 VLOOKUP
=VLOOKUP("Ink";A2:C6;2;FALSE()) → 7
=VLOOKUP("ink";A2:C6;3;FALSE()) → 19.9
=VLOOKUP("Pe*";A2:C6;2;FALSE) → 12
=VLOOKUP("Glue";A2:C6;2;FALSE()) → #N/A
=VLOOKUP("Ink";A2:C6;4;FALSE()) → #REF!
=VLOOKUP("Ink";A2:C6;0;FALSE()) → #VALUE!
=VLOOKUP(25;#other!A1:B3;2) → b
=VLOOKUP(30;#other!A1:B3;1) → 30
=VLOOKUP(5;#other!A1:B3;2) → #N/A
OpenFormula 6.14.9 MATCH
=MATCH("Ink";A2:A6;0) → 3
=MATCH("pe*";A2:A6;0) → 1
=MATCH("Glue";A2:A6;0) → #N/A
=MATCH(25;#other!A1:A3;1) → 2
=MATCH(25;#other!A1:A3) → 2
=MATCH(20;#other!A1:A3;0) → 2
=MATCH(5;#other!A1:A3) → #N/A
=MATCH(7;B2:C6;0) → #N/A
OpenFormula 6.14.6 INDEX
=INDEX(A2:C6;2;2) → 4
=INDEX(A2:A6;3) → Ink
=INDEX(A1:C1;2) → Qty
=SUM(INDEX(A2:C6;0;2)) → 123
=SUM(INDEX(B2:C6;1;0)) → 15.5
=INDEX(A2:C6;9;1) → #REF!
=INDEX(A2:C6;-1;1) → #VALUE!
=INDEX(A2:C6;MATCH("Ink",A2:A6,0);3) → 19.9
OpenFormula 6.18.53 RANK
=RANK(7;B2:B6) → 3
=RANK(100;B2:B6) → 1
=RANK(4;B2:B6;1) → 1
=RANK(12;B2:B6;1) → 3
=RANK(5;B2:B6) → #N/A
=RANK.EQ(B4,B2:B6) → 3
Excel XLOOKUP
=XLOOKUP("Ink",A2:A6,B2:B6) → 7
=XLOOKUP("Glue",A2:A6,B2:B6) → #N/A
=XLOOKUP("Glue",A2:A6,B2:B6,"none") → none
=XLOOKUP(25,#other!A1:A3,#other!B1:B3,"none",-1) → b
=XLOOKUP(25,#other!A1:A3,#other!B1:B2,"none",1) → #VALUE!
=XLOOKUP(15,#other!A1:A3,#other!B1:B3,,1) → b
=XLOOKUP("C*",A2:A6,B2:B6,"none",2) → 100
=XLOOKUP("Qty",A1:C1,A3:C3) → 4
=XLOOKUP(1,A2:B3,B2:B3) → #N/A
Excel UNIQUE and SORT, whose first value a cell shows
=UNIQUE(A2:A6) → Pens
=COUNTA(UNIQUE(A2:A6)) → 4
=CONCAT(UNIQUE(E2:E4)) → TRUEFALSE
=SORT(B2:B4) → 4
=SORT(B2:B6,1,-1) → 100
=INDEX(SORT(B2:B6),2) → 7
=CONCAT(SORT(A2:A4)) → InkPaperPens
=INDEX(SORT(A2:B6,2,-1),1,1) → Clips
=SORT(A2:B6,3) → #VALUE!
`
