"""Given names that are common in many countries, in lower case: a capitalised word after one is taken for a surname.

Names that are ordinary English words at the beginning of titles (Grace, Mark, May, Rose, Will) are left out.
"""

_NAMES = """
aaron abdul abdullah adam adriana agnes ahmad ahmed aisha alan albert alejandro alex alexander alexandra alfred ali
alice alicia alison amanda amelia amina amir amy ana anastasia andrea andreas andrew angela angelo anil anita anjali
ann anna anne annika antoine anton antonio anya arjun arthur arturo ashley astrid barbara beatrice benjamin bernard
bernd beth betty birgit boris brandon brenda brian bridget bruno camille carl carla carlos carmen carol caroline
catherine cecilia charles charlotte chen chiara chloe christian christina christine christopher claire clara claudia
claus colin connor cristina cynthia daniel daniela danielle dariusz david deborah deepak denis dennis diana diego
dimitri dmitri dominic donald donna dorothy douglas edith eduardo edward elena elisabeth elizabeth ella ellen emil
emily emma enrico erika eric erik ernst esther eugene eva evelyn fabio farid fatima felipe felix fernanda fernando
fiona florence frances francesca francesco francis francisco françois franziska frederic frederick friedrich gabriel
gabriela gareth gary geoffrey george gerald gerard giovanni giulia giuseppe gloria gordon greg gregory guillaume
gustavo hannah hans harold harry hassan heather heike heinrich helen helena helga henri henry hiroshi howard hugo
ian ibrahim igor ines ingrid irene isaac isabel isabella ismail ivan jack jacob jacqueline jacques jakob james jamie
jan jane janet jason javier jean jeffrey jennifer jeremy jessica joan joanna joao johan johann johannes john jonas
jonathan jorge josé jose josef joseph joshua joão juan judith julia julian julie jürgen justin karen karin karl
katarina katharina katherine kathleen katja keith kelly kenneth kenji kevin khalid kimberly klaus krzysztof lars
laura lauren laurent lea leah leila leon leonardo leonie lena li lily linda lisa louis louise luca lucas lucia lucy
luigi luis luisa lukas lydia magdalena mahmoud malcolm manuel manuela marc marcel marcela marco marcus margaret maria
marie marina mario markus marta martha martin martina mary mateo matteo matthew matthias maurice max maximilian
megan mehmet mei melanie melissa michael michaela michel michelle miguel mikhail mohamed mohammad mohammed monica
monika muhammad mustafa nadia nancy natalia natalie natasha nathan neha neil nicholas nicola nicolas nicole niklas
nikolai nina noah nora olga oliver olivia omar oscar otto pablo pamela paola patricia patrick paul paula paulo pavel
pedro peter petra philip philipp pierre piotr priya rachel rafael rahul rainer raj rajesh ralf ramon raymond rebecca
renata ricardo richard rita robert roberto roger roland ronald rosa ruth ryan sabine salma samantha samir samuel
sandra sanjay sara sarah scott sean sebastian sergei sergio sharon sheila silvia simon simone sofia sonia sophia
sophie stefan stefanie stella stephanie stephen steven stuart sunil susan susanne svetlana sven sylvia takashi tamara
tanja tanya tatiana teresa theodor theresa thomas thorsten timothy tina tobias todd tomas tomasz tyler ulrich ursula
valentina valerie vanessa vera veronica victoria viktor vincent vladimir walter wanda wei werner wilhelm william
wolfgang xavier yan yasmin yolanda yuki yusuf yves yvonne zoe
"""
GIVEN_NAMES = frozenset(_NAMES.split())
