"""The Streamlit app that shows the results of sweeps."""
