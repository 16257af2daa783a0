"""Irregular English nouns and verbs."""

from typing import Final

_NOUNS: Final = """
man:men woman:women child:children person:people foot:feet tooth:teeth goose:geese mouse:mice wife:wives life:lives
knife:knives leaf:leaves half:halves shelf:shelves thief:thieves wolf:wolves loaf:loaves crisis:crises
analysis:analyses basis:bases thesis:theses hypothesis:hypotheses phenomenon:phenomena criterion:criteria
medium:media policeman:policemen policewoman:policewomen businessman:businessmen spokesman:spokesmen
spokeswoman:spokeswomen chairman:chairmen fisherman:fishermen gentleman:gentlemen potato:potatoes tomato:tomatoes
hero:heroes echo:echoes veto:vetoes
"""
_VERBS: Final = """
arise/arose/arisen bear/bore/borne beat/beat/beaten become/became/become begin/began/begun bend/bent/bent
bet/bet/bet bind/bound/bound bite/bit/bitten bleed/bled/bled blow/blew/blown break/broke/broken breed/bred/bred
bring/brought/brought broadcast/broadcast/broadcast build/built/built burst/burst/burst buy/bought/bought
cast/cast/cast catch/caught/caught choose/chose/chosen cling/clung/clung come/came/come cost/cost/cost
creep/crept/crept cut/cut/cut deal/dealt/dealt dig/dug/dug do/did/done draw/drew/drawn drink/drank/drunk
drive/drove/driven eat/ate/eaten fall/fell/fallen feed/fed/fed feel/felt/felt fight/fought/fought find/found/found
flee/fled/fled fly/flew/flown forbid/forbade/forbidden forecast/forecast/forecast forget/forgot/forgotten
forgive/forgave/forgiven freeze/froze/frozen get/got/got give/gave/given go/went/gone grind/ground/ground
grow/grew/grown hang/hung/hung have/had/had hear/heard/heard hide/hid/hidden hit/hit/hit hold/held/held
hurt/hurt/hurt keep/kept/kept know/knew/known lay/laid/laid lead/led/led leave/left/left lend/lent/lent let/let/let
lie/lay/lain lose/lost/lost make/made/made mean/meant/meant meet/met/met overcome/overcame/overcome
overtake/overtook/overtaken pay/paid/paid put/put/put quit/quit/quit read/read/read rebuild/rebuilt/rebuilt
ride/rode/ridden ring/rang/rung rise/rose/risen run/ran/run say/said/said see/saw/seen seek/sought/sought
sell/sold/sold send/sent/sent set/set/set shake/shook/shaken shed/shed/shed shine/shone/shone shoot/shot/shot
show/showed/shown shrink/shrank/shrunk shut/shut/shut sing/sang/sung sink/sank/sunk sit/sat/sat sleep/slept/slept
slide/slid/slid speak/spoke/spoken spend/spent/spent spin/spun/spun split/split/split spread/spread/spread
spring/sprang/sprung stand/stood/stood steal/stole/stolen stick/stuck/stuck strike/struck/struck swear/swore/sworn
sweep/swept/swept swim/swam/swum swing/swung/swung take/took/taken teach/taught/taught tear/tore/torn tell/told/told
think/thought/thought throw/threw/thrown understand/understood/understood undergo/underwent/undergone
undertake/undertook/undertaken wake/woke/woken wear/wore/worn weep/wept/wept win/won/won wind/wound/wound
withdraw/withdrew/withdrawn write/wrote/written
"""
PLURALS: Final = dict(pair.split(":") for pair in _NOUNS.split())
"""Singular -> plural."""
VERBS: Final = tuple(tuple(forms.split("/")) for forms in _VERBS.split())
"""(base, past, past participle)"""
