"""Reads OSCAL assessment results with the models of compliance-trestle, which refuse unknown and missing members."""

import sys
from pathlib import Path

from trestle.oscal.assessment_results import AssessmentResults

for name in sys.argv[1:]:
    try:
        result = AssessmentResults.oscal_read(Path(name)).results[0]
        print("valid", len(result.findings or []))
    except Exception as error:  # the reason is the result
        print("invalid", str(error).replace("\n", " ")[:300])
